"""The parts of ../CONTRACT.md that all Python servers on asyncio share: one process, of role `worker`.

Each engine's own file stays small. Nothing here runs per message, except the answers.
"""

import asyncio
import importlib.metadata
import ipaddress
import itertools
import json
import os
import signal
import sys
import time
import traceback

STOPPED, SETTINGS, BEHAVIOUR, INTERNAL, SYSTEM = 0, 64, 69, 70, 71

# The same limits for all engines (../CONTRACT.md, Configuration).
MESSAGE_MAX_B, UNSENT_MAX_B = 100 << 20, 16 << 20

# A server starts in its folder, which has the engine's name.
NAME = os.path.basename(os.getcwd())


def serve(package, behaviours, listen, run_loop=asyncio.run):
    """Run a server: check its environment, let it listen, print `ready`, and stop it on a signal.

    The engine's version is that of `package`. `behaviours` are by name. `listen(host, port, behaviour)` is a coroutine: it returns once
    connections are accepted, with an object to keep alive. `run_loop` runs a coroutine on the engine's event loop.
    """
    sys.excepthook = lambda kind, error, trace: fail_with('uncaught', error)
    host = read('WSCALE_HOST', 'an IP address', is_address)
    port = int(read('WSCALE_PORT', 'a port from 1 to 65535', is_port))
    read('WSCALE_RUN_DIR', 'an existing folder', os.path.isdir)
    read('WSCALE_WORKERS', '1', lambda value: value == '1')
    behaviour = read_behaviour(behaviours)
    run_loop(run(importlib.metadata.version(package), host, port, lambda: listen(host, port, behaviour)))


async def run(version, host, port, listen):
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: fail_with(context['message'], context.get('exception')))
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, os._exit, STOPPED)  # at once, which closes every connection
    try:
        server = await listen()
    except OSError as error:
        fail_with(f'cannot listen on {host}:{port}', error)
    print_ready(version, port)
    await asyncio.Event().wait()  # for ever
    del server  # keeps it referenced until here, or it might be garbage-collected


def read_option(option, *values):
    """Read an option of engine.toml; values are those listed there."""
    variable = 'WSCALE_OPTION_' + option.upper().replace('-', '_')
    return read(variable, f'one of {", ".join(values)}', lambda value: value in values)


def read_behaviour(behaviours):
    known = ', '.join(sorted(behaviours))
    name = read('WSCALE_BEHAVIOUR', f'one of {known}', bool)
    if name not in behaviours:
        fail(BEHAVIOUR, f'behaviour "{name}" is not supported', f'use one of {known}')
    return behaviours[name]


def read(variable, wanted, is_right):
    value = os.environ.get(variable, '')
    if not value:
        fail(SETTINGS, f'{variable} is not set', f'set it to {wanted}')
    if not is_right(value):
        fail(SETTINGS, f'{variable} is "{value}"', f'set it to {wanted}')
    return value


def is_address(value):
    try:
        return bool(ipaddress.ip_address(value))
    except ValueError:
        return False


def is_port(value):
    return value.isascii() and value.isdigit() and 0 < int(value) < 65536


def print_ready(version, port):
    processes = [{'pid': os.getpid(), 'role': 'worker', 'index': 1}]
    report = {'engine': NAME, 'version': version, 'port': port, 'processes': processes}
    print('ready', json.dumps(report, separators=(',', ':')), flush=True)


def fail_with(what, error):
    """End the process for an error: 71 if the operating system refused something, else 70. WSCALE_TRACE=1 prints its stack first."""
    if os.environ.get('WSCALE_TRACE') and error:
        traceback.print_exception(error)
    text = f'{what} ({" ".join(f"{type(error).__name__}: {error}".split())})'
    if isinstance(error, (OSError, MemoryError)):
        fail(SYSTEM, text, 'free it, or ask for less or another')
    fail(INTERNAL, text, 'run it again with WSCALE_TRACE=1 for the stack')


def fail(code, what, next_step):
    """End the process with one line on standard error."""
    print(f'error: {NAME}: {what}; {next_step}', file=sys.stderr, flush=True)
    os._exit(code)


PINGS = itertools.count(1)


def answer_ping(text):
    """The `pingpong` for dialects without events, with a count of this process's pings, as in listing A.2 of the thesis."""
    if is_ping(text, 'event'):
        return f'{{"event":"pong","data":{next(PINGS)}}}'
    return None


def answer_json_ping(text):
    """The `json-ping`, with the time of this server's clock in whole Unix seconds."""
    if is_ping(text, 'data'):
        return f'{{"data":"pong","timestamp":{int(time.time())}}}'
    return None


def is_ping(text, key):
    try:
        message = json.loads(text)
    except ValueError:
        return False  # not this dialect: do not answer, but do not close either
    return isinstance(message, dict) and message.get(key) == 'ping'


# The behaviours of most engines. Each maps a message to its answer, None if it has none. Text is str, binary is bytes.
BEHAVIOURS = {
    'echo': lambda message: message,
    'pingpong': answer_ping,
    'idle': lambda message: None,
    'json-ping': answer_json_ping,
    'broadcast': None,  # each message goes to all connections
}
