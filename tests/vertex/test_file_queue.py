"""The broker on files loses no message, however often a reader polls."""

import threading
from pathlib import Path

import pytest
from kombu import Connection

from vertex import file_queue


def test_no_message_is_lost_while_a_reader_polls_constantly(tmp_path: Path) -> None:
    file_queue.install()
    for folder in ("messages", "control"):
        (tmp_path / folder).mkdir()
    options = {
        "data_folder_in": str(tmp_path / "messages"),
        "data_folder_out": str(tmp_path / "messages"),
        "control_folder": str(tmp_path / "control"),
    }
    sent, got = 400, []

    def send() -> None:
        with Connection("filesystem://localhost", transport_options=options) as connection, connection.SimpleQueue("jobs") as queue:
            for number in range(sent):
                queue.put({"run": number})

    with Connection("filesystem://localhost", transport_options=options) as connection, connection.SimpleQueue("jobs") as queue:
        assert isinstance(connection.transport, file_queue.Transport)
        sender = threading.Thread(target=send)
        sender.start()
        while True:
            more = sender.is_alive()  # checked first: a message sent after this poll is found by the next one
            try:
                message = queue.get(block=False)
            except queue.Empty:
                if not more:
                    break
                continue
            got.append(message.payload["run"])
            message.ack()
        sender.join()
    assert sorted(got) == list(range(sent))


@pytest.mark.parametrize("content", [b"{garbled", b"", b"\xff\xfe\x00", b"[1, 2]", b'"text"', b'{"body": ""}'])
def test_a_message_that_cannot_be_read_is_dropped_and_the_next_one_is_taken(tmp_path: Path, content: bytes) -> None:
    file_queue.install()
    name = f"tasks-{tmp_path.name}"  # kombu remembers the names of queues for the whole process
    folders = dict.fromkeys(("data_folder_in", "data_folder_out", "control_folder"), tmp_path)
    with Connection("filesystem://", transport_options=folders) as connection, connection.SimpleQueue(name) as queue:
        (tmp_path / f"{0:020d}_broken.{name}.msg").write_bytes(content)
        queue.put({"id": 7})
        assert queue.get(timeout=2).payload == {"id": 7}
    assert not list(tmp_path.glob("*broken*"))
