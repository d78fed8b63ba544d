import uvloop
from contract import MESSAGE_MAX_B, UNSENT_MAX_B, answer_json_ping, answer_ping, serve
from picows import WSListener, WSMsgType, ws_create_server

# By name: maps a message, bytes, to its answer, None if it has none.
BEHAVIOURS = {
    'echo': lambda message: message,
    'pingpong': lambda message: encode(answer_ping(message)),
    'idle': lambda message: None,
    'json-ping': lambda message: encode(answer_json_ping(message)),
    'broadcast': None,  # each message goes to all connections
}

everyone = set()


def encode(text):
    return text and text.encode()


class Listener(WSListener):
    """One per connection. picows delivers frames: we hold the first frames of a message in several. Few clients send such."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer
        self.kind = None
        self.held = b''

    def on_ws_connected(self, transport):
        self.transport = transport
        if self.answer is None:
            everyone.add(transport)
        transport.underlying_transport.set_write_buffer_limits(high=UNSENT_MAX_B)

    def on_ws_disconnected(self, transport):
        everyone.discard(transport)

    def on_ws_frame(self, transport, frame):
        if frame.msg_type == WSMsgType.CLOSE:
            transport.send_close(frame.get_close_code() or 1000)  # 0: a close frame without a code
            transport.disconnect()
        elif frame.msg_type in (WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.CONTINUATION):
            self.take(transport, frame)

    def take(self, transport, frame):
        message = frame.get_payload_as_bytes()
        if frame.msg_type != WSMsgType.CONTINUATION:
            self.kind = frame.msg_type
        if self.held or not frame.fin:
            self.held += message
            message = self.held
            if len(message) > MESSAGE_MAX_B:
                return transport.disconnect(False)
            if not frame.fin:
                return None
            self.held = b''
        if self.answer is None:
            for each in list(everyone):
                each.send(self.kind, message)
        elif (pong := self.answer(message)) is not None:
            transport.send(self.kind, pong)

    def pause_writing(self):
        self.transport.disconnect(False)  # the client does not read, and its unsent bytes exceed the limit


async def listen(host, port, answer):
    return await ws_create_server(lambda request: Listener(answer), host, port, max_frame_size=MESSAGE_MAX_B)


serve('picows', BEHAVIOURS, listen, uvloop.run)
