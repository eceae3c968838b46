"""The server of `tests.benchmarks.refreshing`: PAGES TAGS. It prints its address, and for each line that it reads, the bytes sent."""

import asyncio
import sys
import threading
from hashlib import sha256

PER_LIST = 100

WORDS = [
    "amber",
    "basalt",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "garnet",
    "harbour",
    "indigo",
    "juniper",
    "kelp",
    "lagoon",
    "maple",
    "nectar",
    "opal",
    "pebble",
    "quartz",
    "river",
    "saffron",
]


def make_book(number: int) -> bytes:
    """Return a page of some 20 kilobytes, as a shop's: navigation, a description, other books, and what a rule extracts."""
    words = [WORDS[(number * 7 + n * n + n // 5) % len(WORDS)] for n in range(900)]
    text = "".join(f"<p>{' '.join(words[n : n + 30]).capitalize()} {number * 31 + n}.</p>" for n in range(0, 900, 30))
    menu = "".join(f'<li class="menu-item"><a class="menu-link" href="/list/{n}"><span>Section {n}</span></a></li>' for n in range(60))
    near = "".join(
        f'<div class="card"><a href="/book/{(number + n) % 9}"><img src="/img/{n}.jpg" alt=""><b>More {n}</b></a></div>'
        for n in range(1, 40)
    )
    return (
        f"<!doctype html><html lang=en><head><title>Book {number} {words[0]}</title></head><body><nav><ul>{menu}</ul></nav>"
        f"<main><h1>Book {number} {words[0]} {words[7]}</h1><p class=price>£{number % 90 + 5}.50</p>"
        f"<dl><dt>ISBN<dd class=isbn>978{number:010}</dl>"
        f"<div class=about>{text}</div><aside>{near}</aside></main></body></html>"
    ).encode()


class Shop:
    """What each path answers. sent: bytes sent so far, heads included."""

    def __init__(self, pages: int, *, tags: bool) -> None:
        self.tags, self.sent = tags, 0
        lists = -(-pages // PER_LIST)
        self._pages = {f"/book/{n}": make_book(n) for n in range(pages)}
        for n in range(lists):
            books = "".join(f'<li><a href="/book/{k}">Book {k}</a></li>' for k in range(n * PER_LIST, min(pages, (n + 1) * PER_LIST)))
            self._pages[f"/list/{n}"] = f"<title>List {n}</title><h1>List {n} {WORDS[n % len(WORDS)]}</h1><ul>{books}</ul>".encode()
        links = "".join(f'<a href="/list/{n}">List {n}</a> ' for n in range(lists))
        self._pages["/"] = f"<title>Shop</title><h1>All books of the shop</h1><p>Welcome to the shop of books.</p>{links}".encode()
        self._tags = {path: f'"{sha256(content).hexdigest()[:20]}"' for path, content in self._pages.items()}

    def answer(self, path: str, headers: dict[str, str]) -> bytes:
        content, tag = self._pages.get(path), self._tags.get(path)
        extra = f"ETag: {tag}\r\n" if self.tags and tag else ""
        if content is None:
            body = b"<title>Not found</title>"
            return f"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        if self.tags and headers.get("if-none-match") == tag:
            return f"HTTP/1.1 304 Not Modified\r\n{extra}\r\n".encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{extra}Content-Length: {len(content)}\r\n\r\n"
        return head.encode() + content

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
                answer = self.answer(first.split(" ")[1], headers)
                self.sent += len(answer)
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


async def main(pages: int, *, tags: bool) -> None:
    shop = Shop(pages, tags=tags)
    server = await asyncio.start_server(shop.serve, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def tell() -> None:
        for _ in sys.stdin:
            print(shop.sent, flush=True)
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=tell, daemon=True).start()
    await ended.wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), tags=sys.argv[2] == "1"))
