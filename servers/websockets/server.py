import asyncio

import uvloop
from contract import BEHAVIOURS, MESSAGE_MAX_B, read_option, serve
from websockets.asyncio.server import broadcast
from websockets.asyncio.server import serve as listen_with
from websockets.exceptions import ConnectionClosed


async def listen(host, port, answer):
    async def converse_with_all(socket):
        try:
            async for message in socket:
                broadcast(server.connections, message)
        except ConnectionClosed:
            pass  # the client has gone

    async def converse(socket):
        try:
            async for message in socket:
                if (pong := answer(message)) is not None:
                    await socket.send(pong)
        except ConnectionClosed:
            pass  # the client has gone

    take = converse if answer else converse_with_all
    server = await listen_with(take, host, port, compression=None, ping_interval=None, max_size=MESSAGE_MAX_B)
    return server


LOOPS = {'uvloop': uvloop.run, 'asyncio': asyncio.run}
serve('websockets', BEHAVIOURS, listen, LOOPS[read_option('loop', *LOOPS)])
