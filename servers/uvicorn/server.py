import asyncio
import socket
from contextlib import suppress

import uvloop
from contract import BEHAVIOURS, MESSAGE_MAX_B, serve
from uvicorn import Config, Server


def create_application(answer):
    """Make a bare ASGI application, without a framework."""

    async def converse(scope, receive, send):
        if scope['type'] != 'websocket':
            await send({'type': 'http.response.start', 'status': 404})
            return await send({'type': 'http.response.body'})
        await receive()
        await send({'type': 'websocket.accept'})
        while (event := await receive())['type'] == 'websocket.receive':
            kind = 'bytes' if event.get('text') is None else 'text'
            if (pong := answer(event[kind])) is not None:
                await send({'type': 'websocket.send', kind: pong})

    everyone = set()

    async def converse_with_all(scope, receive, send):
        await receive()
        await send({'type': 'websocket.accept'})
        everyone.add(send)
        while (event := await receive())['type'] == 'websocket.receive':
            kind = 'bytes' if event.get('text') is None else 'text'
            for each in list(everyone):
                with suppress(OSError, RuntimeError):  # that client has gone, or is closing
                    await each({'type': 'websocket.send', kind: event[kind]})
        everyone.discard(send)

    return converse if answer else converse_with_all


async def listen(host, port, answer):
    config = Config(
        create_application(answer), http='httptools', ws='websockets-sansio', lifespan='off', log_level='warning',
        ws_max_size=MESSAGE_MAX_B, ws_per_message_deflate=False, ws_ping_interval=None)
    config.load()
    server = Server(config)
    server.lifespan = config.lifespan_class(config)
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    await server.startup([socket.create_server((host, port), family=family, backlog=config.backlog)])
    return asyncio.create_task(server.main_loop())


serve('uvicorn', BEHAVIOURS, listen, uvloop.run)
