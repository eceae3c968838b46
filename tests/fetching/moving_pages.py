"""Pages that show more when they are scrolled or clicked, with shadow roots and frames.

Rows say their number in words that no other row has ("Row 17"), so a test can tell which are there. The scripts are small forms of what
common libraries do.
"""

FILLER = "<p>" + "amber basalt cedar delta ember fjord garnet harbour indigo juniper kelp lagoon maple nectar opal pebble " * 4 + "</p>"

ENDLESS = """
<ul id=list></ul><div id=end style="height:10px"></div>
<script>
  const total = TOTAL, list = document.getElementById('list')
  let loading = false
  async function more() {
    if (loading || list.children.length >= total) return
    loading = true
    const rows = await (await fetch('/rows?from=' + list.children.length)).json()
    for (const row of rows) {
      const item = document.createElement('li')
      item.style.height = '60px'
      item.innerHTML = `<a href="/thing/${row}">Row ${row}</a> <b>$${row}.00</b>`
      list.append(item)
    }
    loading = false
    look()
  }
  const look = () => { if (document.getElementById('end').getBoundingClientRect().top < innerHeight + 50) more() }
  addEventListener('scroll', look)
  more()
</script>
"""

BUTTON = """
<ul id=list></ul><button id=more class="load-more">Load more</button>
<script>
  const total = TOTAL, list = document.getElementById('list'), button = document.getElementById('more')
  async function more() {
    const rows = await (await fetch('/rows?from=' + list.children.length)).json()
    for (const row of rows) if (row <= total) list.insertAdjacentHTML('beforeend', `<li><a href="/thing/${row}">Row ${row}</a></li>`)
    if (list.children.length >= total) button.remove()
  }
  button.onclick = more
  more()
</script>
"""

NEXT_LINK = """<ul><li>Row 1</li><li>Row 2</li></ul><a class="load-more" href="/elsewhere">More</a>"""

# Rows are made and removed, as react-window does it.
REMOVED = """
<div id=box style="height:600px;overflow:auto"><div id=all style="position:relative"></div></div>
<script>
  const total = TOTAL, size = 40, box = document.getElementById('box'), all = document.getElementById('all')
  all.style.height = total * size + 'px'
  function draw() {
    const first = Math.max(0, Math.floor(box.scrollTop / size) - 2), last = Math.min(total, first + 20)
    const kept = []
    for (let n = first; n < last; n++) kept.push(`<div class=row style="position:absolute;top:${n * size}px;height:${size}px">
      <span>Row ${n + 1}</span> <em>${n % 3 ? 'In stock' : 'Sold out'}</em></div>`)
    all.innerHTML = kept.join('')
  }
  box.addEventListener('scroll', draw)
  draw()
</script>
"""

# A few elements get other texts and places, as vue-virtual-scroller does it; their order in the page is not that on the screen.
REUSED = """
<div id=all style="position:relative"></div>
<script>
  const total = TOTAL, size = 50, pool = 30, all = document.getElementById('all')
  all.style.height = total * size + 'px'
  for (let n = 0; n < pool; n++) {
    const view = `<div class=row data-view=${n} style="position:absolute;top:0"><span></span><em>In stock</em></div>`
    all.insertAdjacentHTML('beforeend', view)
  }
  function draw() {
    const first = Math.max(0, Math.min(total - pool, Math.floor((scrollY - all.offsetTop) / size) - 3))
    for (let n = first; n < first + pool; n++) {
      const view = all.children[n % pool]
      view.style.transform = `translateY(${n * size}px)`
      view.firstChild.textContent = 'Row ' + (n + 1)
    }
  }
  addEventListener('scroll', draw)
  draw()
</script>
"""

# Rows that say the same are told apart by their numbers; each arrives late, as a placeholder first.
NUMBERED = """
<div id=box style="height:500px;overflow:auto"><div id=all style="position:relative"></div></div>
<script>
  const total = TOTAL, size = 50, box = document.getElementById('box'), all = document.getElementById('all')
  all.style.height = total * size + 'px'
  const known = new Set()
  function draw() {
    const first = Math.max(0, Math.floor(box.scrollTop / size) - 2), last = Math.min(total, first + 16)
    const rows = []
    for (let n = first; n < last; n++) {
      const text = known.has(n) ? (n % 2 ? 'Pear' : 'Apple') : 'Loading…'
      rows.push(`<div role=row aria-rowindex=${n + 1} style="position:absolute;top:${n * size}px;height:${size}px">${text}</div>`)
      if (!known.has(n)) setTimeout(() => { known.add(n); draw() }, 60)
    }
    all.innerHTML = rows.join('')
  }
  box.addEventListener('scroll', draw)
  draw()
</script>
"""

TICKER = (
    """
<div id=news><p>News 1</p><p>News 2</p><p>News 3</p></div>
<ul>"""
    + "".join(f"<li style='height:60px'>Row {n}</li>" for n in range(1, 41))
    + """</ul>
<script>
  let n = 1
  setInterval(() => { n += 1; document.getElementById('news').innerHTML = `<p>News ${n}</p><p>News ${n + 1}</p><p>News ${n + 2}</p>` }, 90)
</script>
"""
)

SHADOW = """
<p id=lead>Lead: <x-price></x-price></p>
<x-card><h3 slot=name>Garnet lamp</h3><span slot=stock>In stock</span><i>not shown</i></x-card>
<x-card><h3 slot=name>Opal chair</h3></x-card>
<script>
  customElements.define('x-price', class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({mode: 'open'})
      root.innerHTML = '<style>b { color: red }</style><div class=price><b>$12.50</b></div>'
    }
  })
  customElements.define('x-card', class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({mode: 'open'})
      const stock = '<p class=stock><slot name=stock>Sold out &amp; gone</slot></p>'
      root.innerHTML = '<article><slot name=name></slot>' + stock + '<x-price></x-price></article>'
    }
  })
</script>
"""

# The rows of a list that recycles them, inside a shadow root.
SHADOW_LIST = """
<x-list></x-list>
<script>
  customElements.define('x-list', class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({mode: 'open'}), total = TOTAL, size = 40
      const list = `<ul id=all style="position:relative;margin:0;height:${total * size}px"></ul>`
      root.innerHTML = '<div id=box style="height:500px;overflow:auto">' + list + '</div>'
      const box = root.getElementById('box'), all = root.getElementById('all')
      const draw = () => {
        const first = Math.max(0, Math.floor(box.scrollTop / size) - 2)
        let rows = ''
        const last = Math.min(total, first + 18)
        for (let n = first; n < last; n++) rows += `<li style="position:absolute;top:${n * size}px">Row ${n + 1}</li>`
        all.innerHTML = rows
      }
      box.addEventListener('scroll', draw)
      draw()
    }
  })
</script>
"""
