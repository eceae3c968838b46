// Runs in a page that a browser shows: scrolls it, collects rows of lists that show only some of their rows, and writes the page as HTML with
// its open shadow roots and frames. `reading.py` calls it. The expression is a function; its result stays in the page as a handle.
() => {
  // Attributes that number the rows of a list. A row that has one is known by it; other rows are known by what they say.
  const NUMBERS = ["aria-rowindex", "aria-posinset", "data-index", "data-item-index", "data-row-index", "row-index"];
  const SAYING = ["href", "src", "alt", "title", "value", "datetime", "content"];
  const MAX_CHILDREN = 400; // a list that recycles its rows has few at a time; one with more keeps them all in the page
  const MIN_SHARED = 2; // rows that two screens must have in common before a list counts as recycled
  const ALIKE = 0.8; // the share of rows that have the same element, and that moved the same way
  const LEAST_SIDE = 150; // pixels; smaller boxes that scroll are menus
  const NOT_LISTS = new Set(["TEXTAREA", "SELECT", "PRE", "CODE", "NAV"]);
  const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
  const ENDS_P = new Set(
    ("address article aside blockquote details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main " +
      "menu nav ol p pre search section table ul").split(" "),
  );

  const lists = new Map(); // element -> {rows: [{id, says, html}], before: [ids], recycled, gap}
  const frames = new WeakMap(); // frame element -> its number

  const parentOf = (node) => node.parentNode ?? (node instanceof ShadowRoot ? node.host : null);
  const isElement = (node) => node.nodeType === Node.ELEMENT_NODE;

  function* elementsIn(root) {
    for (const element of root.querySelectorAll("*")) {
      yield element;
      if (element.shadowRoot) yield* elementsIn(element.shadowRoot);
    }
  }

  function say(node, said) {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.data.trim();
      if (text) said.push(text);
      return said;
    }
    if (node.nodeName === "SCRIPT" || node.nodeName === "STYLE") return said;
    if (isElement(node)) for (const name of SAYING) if (node.hasAttribute(name)) said.push(node.getAttribute(name));
    if (node.shadowRoot) for (const child of node.shadowRoot.childNodes) say(child, said);
    for (const child of node.childNodes) say(child, said);
    return said;
  }

  // Lists whose rows come and go

  function readRows(list) {
    const placed = [...list.children].map((element) => {
      const box = element.getBoundingClientRect();
      return { element, top: Math.round(box.top), left: box.left, says: say(element, []).join("\n") };
    });
    const rows = placed.filter((row) => row.says).sort((a, b) => a.top - b.top || a.left - b.left);
    const number = NUMBERS.find((name) => rows.length && rows.every((row) => row.element.hasAttribute(name)));
    const numbers = number ? rows.map((row) => row.element.getAttribute(number)) : [];
    const isNumbered = number && new Set(numbers).size === rows.length;
    return rows.map((row, at) => ({ ...row, id: isNumbered ? `${number} ${numbers[at]}` : row.says }));
  }

  // Whether rows have moved up from one screen to the next: the first ones left, the next ones moved into their places, and new ones followed.
  function isRecycled(before, rows) {
    const now = rows.map((row) => row.id);
    const tags = rows.map((row) => row.element.tagName);
    if (!before.length || !now.length || now.includes(before[0]) || before.includes(now.at(-1))) return false;
    if (Math.max(...tags.map((tag) => tags.filter((each) => each === tag).length)) < ALIKE * tags.length) return false;
    const shifts = [];
    let from = 0;
    now.forEach((id, at) => {
      const found = before.indexOf(id, from);
      if (found >= 0) {
        shifts.push(found - at);
        from = found + 1;
      }
    });
    return shifts.length >= Math.max(MIN_SHARED, now.length / 5) && shifts.filter((shift) => shift > 0).length >= ALIKE * shifts.length;
  }

  function merge(list, rows) {
    const known = list.rows;
    const start = Math.max(0, known.length - list.before.length - rows.length);
    let at = known.findIndex((row, index) => index >= start && rows.some((each) => each.id === row.id));
    if (at < 0) {
      list.gap ||= known.length > 0 && rows.length > 0;
      at = known.length;
    }
    for (const row of rows) {
      const found = known.findIndex((each, index) => index >= at && each.id === row.id);
      if (found >= 0) {
        if (known[found].says !== row.says) known[found] = { id: row.id, says: row.says, html: write(row.element) };
        at = found + 1;
      } else {
        known.splice(at, 0, { id: row.id, says: row.says, html: write(row.element) });
        at += 1;
      }
    }
  }

  // Look at all lists. moved: the page was scrolled since the last look; a list that changes by itself is no list of rows.
  function look(moved) {
    marked = new Set();
    mark(document);
    for (const element of elementsIn(document)) {
      const list = lists.get(element) ?? { rows: [], before: [], recycled: false, gap: false, dropped: false };
      if (list.dropped || element.children.length < 2) continue;
      if (element.children.length > MAX_CHILDREN) {
        lists.set(element, { ...list, rows: [], before: [], dropped: !list.recycled });
        continue;
      }
      const rows = readRows(element);
      const ids = rows.map((row) => row.id);
      if (!moved && list.before.length && ids.join("\n\n") !== list.before.join("\n\n")) {
        lists.set(element, { ...list, rows: [], before: [], dropped: true });
        continue;
      }
      if (moved && isRecycled(list.before, rows)) list.recycled = true;
      merge(list, rows);
      list.before = ids;
      lists.set(element, list);
    }
  }

  function recycledLists() {
    const found = new Map();
    for (const [element, list] of lists) {
      if (!list.recycled || !element.isConnected) continue;
      const here = new Set(readRows(element).map((row) => row.id));
      if (list.rows.some((row) => !here.has(row.id))) found.set(element, list);
    }
    return found;
  }

  // Scrolling

  function scrollers() {
    const boxes = [];
    for (const element of elementsIn(document)) {
      if (NOT_LISTS.has(element.tagName) || element === document.scrollingElement || element === document.body) continue;
      if (element.clientHeight < LEAST_SIDE || element.clientWidth < LEAST_SIDE) continue;
      if (element.scrollHeight < element.clientHeight * 1.2) continue;
      if (/auto|scroll|overlay/.test(getComputedStyle(element).overflowY)) boxes.push(element);
    }
    boxes.sort((a, b) => b.clientHeight * b.clientWidth - a.clientHeight * a.clientWidth);
    return [document.scrollingElement ?? document.documentElement, ...boxes.slice(0, 5)];
  }

  const places = [];
  function chooseScrollers() {
    places.splice(0, places.length, ...scrollers());
    return places.length;
  }

  const isAtEnd = (box) => box.scrollTop + box.clientHeight >= box.scrollHeight - 2;
  const describe = (box) => ({ end: isAtEnd(box), height: box.scrollHeight, top: box.scrollTop });

  function scroll(number, fraction) {
    const box = places[number];
    if (box !== document.scrollingElement) box.scrollIntoView({ block: "center" });
    box.scrollTo({ top: box.scrollTop + fraction * box.clientHeight, behavior: "instant" });
    return describe(box);
  }

  function measure() {
    return { elements: document.getElementsByTagName("*").length, chars: document.documentElement.textContent.length };
  }

  function calm(quiet_ms, longest_ms) {
    return new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        clearTimeout(timer);
        timer = setTimeout(end, quiet_ms);
      });
      const end = () => {
        observer.disconnect();
        clearTimeout(timer);
        clearTimeout(last);
        resolve();
      };
      let timer = setTimeout(end, quiet_ms);
      const last = setTimeout(end, longest_ms);
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    });
  }

  // Writing

  const escapeText = (text) => text.replace(/&/g, "&amp;").replace(/\u00a0/g, "&nbsp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const escapeValue = (text) => escapeText(text).replace(/"/g, "&quot;");

  let special = new Map(); // element -> the list whose collected rows are written in place of its children, or null
  let marked = new Set(); // elements that are not written as the browser would write them, and those around them
  let token = "";

  function mark(root) {
    for (const element of elementsIn(root)) {
      const inShadow = element.tagName === "SLOT" && element.getRootNode() instanceof ShadowRoot;
      if (!(element.shadowRoot || frames.has(element) || special.has(element) || inShadow)) continue;
      for (let node = element; node && !marked.has(node); node = parentOf(node)) marked.add(node);
    }
  }

  function write(node) {
    if (node.nodeType === Node.TEXT_NODE) return escapeText(node.data);
    if (node.nodeType === Node.COMMENT_NODE) return `<!--${node.data.replace(/-->/g, "")}-->`;
    if (!isElement(node)) return "";
    return marked.has(node) ? writeElement(node) : node.outerHTML;
  }

  // What an HTML parser would make of it is not what stands there: a paragraph ends before a block, a link before another one.
  function nameOf(element) {
    const name = element.localName;
    const within = (test) => [...elementsIn(element), ...(element.shadowRoot ? elementsIn(element.shadowRoot) : [])].some(test);
    if (name === "p" && (within((each) => ENDS_P.has(each.localName)) || within((each) => frames.has(each)))) return "div";
    if ((name === "a" || name === "button") && within((each) => each.localName === name)) return "div";
    return name === "frameset" ? (element.parentNode === document.documentElement ? "body" : "div") : name;
  }

  function writeElement(element) {
    if (frames.has(element)) return writeFrame(element);
    if (element.localName === "slot" && element.getRootNode() instanceof ShadowRoot) return writeSlot(element);
    const name = nameOf(element);
    const was = name === element.localName ? "" : ` data-vertex-tag="${element.localName}"`;
    const list = special.get(element);
    const counted = list ? ` data-vertex-rows="${list.rows.length}"` : "";
    const attributes = [...element.attributes].map((each) => ` ${each.name}="${escapeValue(each.value)}"`).join("");
    const open = `<${name}${attributes}${was}${counted}>`;
    if (VOID.has(name)) return open;
    const content = list ? list.rows.map((row) => row.html).join("\n") : element.shadowRoot ? writeHost(element) : writeChildren(element);
    return `${open}${content}</${name}>`;
  }

  const writeChildren = (node) => [...node.childNodes].map(write).join("");

  function writeHost(host) {
    const inside = [...host.shadowRoot.childNodes].filter((node) => !(isElement(node) && node.matches("style, link[rel~=stylesheet]")));
    const outside = [...host.childNodes].filter((node) => !node.assignedSlot && (isElement(node) || (node.nodeType === Node.TEXT_NODE && node.data.trim())));
    const rest = outside.length ? `<vertex-unslotted hidden="">${outside.map(write).join("")}</vertex-unslotted>` : "";
    return `<vertex-shadow>${inside.map(write).join("")}</vertex-shadow>${rest}`;
  }

  // The content of a slot is what was put into the host from outside; without that, its own.
  function writeSlot(slot) {
    const assigned = slot.assignedNodes();
    const content = assigned.length ? assigned.map(write).join("") : writeChildren(slot);
    return `<slot${slot.name ? ` name="${escapeValue(slot.name)}"` : ""}>${content}</slot>`;
  }

  function writeFrame(element) {
    const kept = ["id", "name", "title", "class"].filter((name) => element.hasAttribute(name));
    const attributes = kept.map((name) => ` ${name}="${escapeValue(element.getAttribute(name))}"`).join("");
    return `<vertex-frame src="${escapeValue(element.src ?? "")}"${attributes}><!--${token}:${frames.get(element)}--></vertex-frame>`;
  }

  function begin(given) {
    token = given;
    special = recycledLists();
    marked = new Set();
    mark(document);
    return {
      plain: !marked.size,
      rows: [...special.values()].map((list) => list.rows.length),
      gap: [...special.values()].some((list) => list.gap) || [...lists].some(([element, list]) => list.recycled && !element.isConnected),
    };
  }

  function writePage() {
    const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
    return type + write(document.documentElement);
  }

  // The body of a frame, whose addresses become absolute because the page around it has another one.
  function writeBody() {
    for (const element of elementsIn(document))
      for (const name of ["href", "src", "action", "poster", "data"])
        if (element.hasAttribute(name) && !/^\s*(#|javascript:|data:|mailto:|tel:)/i.test(element.getAttribute(name)))
          try {
            element.setAttribute(name, new URL(element.getAttribute(name), document.baseURI).href);
          } catch {
            // it is no address
          }
    return document.body ? (document.body.localName === "frameset" ? write(document.body) : writeChildren(document.body)) : "";
  }

  return {
    look,
    chooseScrollers,
    scroll,
    measure,
    calm,
    begin,
    writePage,
    writeBody,
    nameFrame: (element, number) => frames.set(element, number) && undefined,
  };
}
