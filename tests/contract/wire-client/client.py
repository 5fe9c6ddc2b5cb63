"""A client for sockets with the protocol `sdk.v1`, driven by JSON lines: commands on stdin, events on stdout.

    python3 client.py ws://127.0.0.1:3000/ws/chat
"""

import asyncio
import json
import random
import sys
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import websockets
from websockets.exceptions import ConnectionClosed, WebSocketException

FIRST_WAIT, LONGEST_WAIT, PENALTY = 0.05, 20.0, 5.0  # seconds before a reconnect; the reference has 0.5 for the first
GRACE, PATIENCE = 3.0, 5.0  # seconds without a frame beyond `hb` until it sends a ping, and seconds until the pong
HELLO = 15.0  # seconds until `ok`
ACK_AFTER, ACK_COUNT = 0.2, 32  # sends an ack after this many seconds or messages
OLD_LINGERS = 10.0  # a connection that was replaced is dropped if the server has not closed it by then
LATER = {4408, 4413, 4429}  # these reconnect after PENALTY, although they are 44xx
REFUSALS = {1013, 4500}  # the wait grows even if there was an `ok`
TOGETHER = {1001, 1012}  # all clients lost their connection: they reconnect over `spread`


def emit(event: str, **members: Any) -> None:
    print(json.dumps({"event": event, **members}), flush=True)


def to_text(frame: dict[str, Any]) -> str:
    text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # an unpaired surrogate: send it escaped, the server decides
        text = json.dumps(frame, separators=(",", ":"))
    return text


def ends(code: int) -> bool:
    return code == 4000 or (4400 <= code < 4500 and code not in LATER)


@dataclass
class Message:
    count: int  # among all messages of this process
    data: Any
    sent: bool = False  # on any connection


class Link:
    """One connection."""

    def __init__(self, ws: Any) -> None:
        self.ws = ws
        self.out: asyncio.Queue[str | None] = asyncio.Queue()  # None closes
        self.ready = self.bye = self.old = False  # received `ok`; received `bye`; was replaced
        self.hb = 0.0
        self.writer = asyncio.create_task(self.write())

    def put(self, frame: dict[str, Any]) -> None:
        self.out.put_nowait(to_text(frame))

    async def write(self) -> None:
        with suppress(ConnectionClosed):
            while (text := await self.out.get()) is not None:
                await self.ws.send(text)
            await self.ws.close()


class Client:
    """A session and the connections that carry it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.sid: str | None = None
        self.rx = 0
        self.pos: dict[str, list[Any]] = {}
        self.queue: deque[Message] = deque()  # unacknowledged messages, the oldest first
        self.first = 1  # the number of queue[0] in the session; the others follow
        self.on_way = 0  # the number of messages in the queue that were sent over the current connection
        self.count = self.unacked = 0  # messages sent in total; messages received since the last `a`
        self.win, self.max, self.spread = 0, 0, 0.0
        self.link: Link | None = None  # the last one that received `ok`
        self.links: set[Link] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.over = asyncio.Event()

    def start(self, wait: float = 0) -> None:
        task = asyncio.create_task(self.live(wait))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def live(self, wait: float) -> None:
        """Connects, and reconnects after a loss, until a code ends it or `bye` hands over to a successor."""
        tries = 0
        while not self.over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.over.wait(), wait)
                return
            link, code = await self.connect()
            if self.over.is_set():
                return
            if link and link.bye:  # closed in favour of the successor: 4409 does not end it
                if ends(code) and code != 4409 and not link.old:
                    self.end(code)
                return
            if ends(code):
                return self.end(code)
            if link and link.ready and code not in REFUSALS:
                tries = 0
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(tries, 20)) * random.random()
            if code in TOGETHER and tries == 0:
                wait = max(wait, self.spread * random.random())
            if code in LATER:
                wait = max(wait, PENALTY)
            tries += 1

    async def connect(self) -> tuple[Link | None, int]:
        """Runs one connection from its `hi` to its end. Returns the close code."""
        try:
            ws: Any = await websockets.connect(  # type: ignore[attr-defined]
                self.url, subprotocols=["sdk.v1"], compression=None, max_size=None,
                ping_interval=None, open_timeout=10, close_timeout=2)  # fmt: skip
        except (OSError, EOFError, WebSocketException):
            return None, 1006
        link, probed = Link(ws), False
        self.links.add(link)
        link.put({"o": "hi", "v": 1, "sid": self.sid, "rx": self.rx, "pos": self.pos})
        if self.over.is_set():
            self.shut()
        with suppress(ConnectionClosed):
            while True:
                limit = PATIENCE if probed else link.hb + GRACE if link.ready else HELLO
                try:
                    text = await asyncio.wait_for(ws.recv(), limit)
                except TimeoutError:
                    if probed or not link.ready:
                        ws.transport.abort()
                    else:
                        link.put({"o": "p"})
                    probed = True
                    continue
                probed = False
                self.receive(link, json.loads(text))
        self.links.discard(link)
        link.writer.cancel()
        if self.link is link:
            self.link = None
        code = ws.close_code or 1006
        emit("closed", code=code)
        return link, code

    def receive(self, link: Link, frame: dict[str, Any]) -> None:
        kind, room = frame.get("o"), frame.get("s")
        if kind == "p":
            link.put({"o": "q"})
        elif link.old:
            pass  # the successor repeats what was not received before its `ok`
        elif kind == "ok":
            self.opened(link, frame)
        elif kind == "m":
            self.message(room, frame)
        elif kind == "a":
            self.acknowledged(frame["i"])
        elif kind == "e":
            self.failed(frame)
        elif kind == "at":
            self.pos[room] = [frame["e"], frame["i"]]
        elif kind == "left":
            self.pos.pop(room, None)
        elif kind == "gap":
            if room is None:
                self.rx = frame["to"]
            else:
                self.pos.pop(room, None)
            emit("gap", room=room, **{"from": frame["from"], "to": frame["to"]})
        elif kind == "bye" and not link.bye:
            link.bye = True
            self.start(frame["after"] / 1000)

    def opened(self, link: Link, ok: dict[str, Any]) -> None:
        if self.link:
            self.link.old = True
            asyncio.get_running_loop().call_later(OLD_LINGERS, self.link.ws.transport.abort)
        self.link, link.ready, link.hb = link, True, ok["hb"] / 1000
        self.sid, self.win, self.max, self.spread = ok["sid"], ok["win"], ok["max"], ok.get("spread", 0) / 1000
        self.on_way = self.unacked = 0
        emit("open", resumed=ok["res"])
        if ok["res"]:
            self.acknowledged(ok["ack"])
        else:
            self.first, self.rx = 1, 0
        self.pump()

    def send(self, data: Any) -> None:
        self.count += 1
        self.queue.append(Message(self.count, data))
        self.pump()

    def pump(self) -> None:
        """Sends what the window allows."""
        while self.link and not self.link.bye and self.on_way < min(self.win, len(self.queue)):
            message = self.queue[self.on_way]
            frame: dict[str, Any] = {"o": "m", "i": self.first + self.on_way, "d": message.data}
            if message.sent:
                frame["r"] = 1
            elif len(to_text(frame).encode()) > self.max:  # the server would close every connection with 4413
                del self.queue[self.on_way]
                emit("error", number=message.count, status=413, code="CONTENT_TOO_LARGE")
                continue
            self.link.put(frame)
            message.sent = True
            self.on_way += 1

    def acknowledged(self, number: int) -> None:
        done = min(number - self.first + 1, len(self.queue))
        if done > 0:
            last = [self.queue.popleft() for _ in range(done)][-1]
            self.first += done
            self.on_way = max(0, self.on_way - done)
            emit("acked", upTo=last.count)
            self.pump()

    def failed(self, frame: dict[str, Any]) -> None:
        at, error = frame["i"] - self.first, frame["error"]
        number = self.queue[at].count if frame["i"] and 0 <= at < len(self.queue) else frame["i"]
        emit("error", number=number, status=error.get("status", frame.get("status")), code=error.get("code"))

    def message(self, room: str | None, frame: dict[str, Any]) -> None:
        number = frame["i"]
        if room is not None:
            epoch, last = self.pos.get(room, (None, 0))
            if epoch == frame["e"] and number <= last:
                return
            self.pos[room] = [frame["e"], number]
        else:
            self.unacked += 1  # a repeat too: its `a` was lost
            if self.unacked == 1:
                asyncio.get_running_loop().call_later(ACK_AFTER, self.acknowledge)
            new = number > self.rx
            self.rx = max(self.rx, number)
            if self.unacked >= ACK_COUNT:
                self.acknowledge()
            if not new:
                return
        emit("message", room=room, data=frame.get("d"))

    def acknowledge(self) -> None:
        if self.link and self.unacked:
            self.link.put({"o": "a", "i": self.rx})
            self.unacked = 0

    def cut(self) -> None:
        for link in self.links:
            link.ws.transport.abort()

    def end(self, code: int) -> None:
        """Ends the session permanently."""
        self.shut()
        emit("ended", code=code)

    def shut(self) -> None:
        self.over.set()
        for link in self.links:
            link.out.put_nowait(None)

    async def quit(self) -> None:
        if not self.over.is_set():
            self.acknowledge()
            self.shut()
            if self.tasks:
                await asyncio.wait(self.tasks, timeout=3)
            emit("ended", code=1000)


async def main(url: str) -> None:
    client = Client(url)
    client.start()
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        command = json.loads(line)
        if command["do"] == "send":
            client.send(command["data"])
        elif command["do"] == "cut":
            client.cut()
        elif command["do"] == "quit":
            break
    await client.quit()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
