%% The parts of ../CONTRACT.md that all Erlang servers share, so that each engine's own file stays small. One process, of role `worker`.
%% Nothing here runs per message, except the answers.
-module(contract).
-behaviour(gen_event).
-export([serve/3, is_asked/1, message_max_b/0, answer_ping/1, answer_json_ping/1]).
-export([init/1, handle_event/2, handle_call/2]).

-define(STOPPED, 0).
-define(SETTINGS, 64).
-define(BEHAVIOUR, 69).
-define(INTERNAL, 70).
-define(SYSTEM, 71).

%% The same limit for all engines (../CONTRACT.md, Configuration).
message_max_b() -> 100 bsl 20.

%% Runs a server: checks its environment, lets it listen, prints `ready`, and stops it on SIGTERM. The engine's version is that of
%% Application. Behaviours maps names to behaviours. Listen(Address, Port, Behaviour) returns {ok, _} or {error, Reason}.
serve(Application, Behaviours, Listen) ->
    stop_when_asked(),
    persistent_term:put(?MODULE, atomics:new(1, [])),
    Host = read("WSCALE_HOST", "an IP address", fun is_address/1),
    Port = list_to_integer(read("WSCALE_PORT", "a port from 1 to 65535", fun is_port/1)),
    read("WSCALE_RUN_DIR", "an existing folder", fun filelib:is_dir/1),
    read("WSCALE_WORKERS", "1", fun(Value) -> Value =:= "1" end),
    Behaviour = read_behaviour(Behaviours),
    {ok, Address} = inet:parse_strict_address(Host),
    try Listen(Address, Port, Behaviour) of
        {ok, _} -> print_ready(Application, Port);
        {error, Reason} -> fail_to_listen(Host, Port, Reason)
    catch
        _:Reason -> fail(?INTERNAL, io_lib:format("cannot start (~0tp)", [Reason]), "read what it printed before")
    end.

%% Whether this behaviour is configured.
is_asked(Behaviour) -> os:getenv("WSCALE_BEHAVIOUR") =:= Behaviour.

%% Exits at once on SIGTERM, which closes every connection: the emulator's own shutdown takes longer.
stop_when_asked() ->
    ok = os:set_signal(sigterm, handle),
    ok = gen_event:swap_handler(erl_signal_server, {erl_signal_handler, []}, {?MODULE, []}).

init(_) -> {ok, none}.

handle_event(sigterm, _) -> halt(?STOPPED, [{flush, false}]);
handle_event(_, State) -> {ok, State}.

handle_call(_, State) -> {ok, none, State}.

read_behaviour(Behaviours) ->
    Known = lists:join(", ", lists:sort(maps:keys(Behaviours))),
    Name = read("WSCALE_BEHAVIOUR", ["one of ", Known], fun(_) -> true end),
    case Behaviours of
        #{Name := Behaviour} -> Behaviour;
        _ -> fail(?BEHAVIOUR, ["behaviour \"", Name, "\" is not supported"], ["use one of ", Known])
    end.

read(Variable, Wanted, IsRight) ->
    Value = os:getenv(Variable, ""),
    Value =/= "" orelse fail(?SETTINGS, [Variable, " is not set"], ["set it to ", Wanted]),
    IsRight(Value) orelse fail(?SETTINGS, [Variable, " is \"", Value, "\""], ["set it to ", Wanted]),
    Value.

is_address(Value) -> element(1, inet:parse_strict_address(Value)) =:= ok.

is_port(Value) ->
    case string:to_integer(Value) of
        {Port, []} -> Port > 0 andalso Port < 65536;
        _ -> false
    end.

print_ready(Application, Port) ->
    {ok, Version} = application:get_key(Application, vsn),
    io:format("ready {\"engine\":\"~ts\",\"version\":\"~ts\",\"port\":~b,\"processes\":[{\"pid\":~ts,\"role\":\"worker\",\"index\":1}]}~n",
        [name(), Version, Port, os:getpid()]).

%% A server starts in its folder, which has the engine's name.
name() ->
    {ok, Folder} = file:get_cwd(),
    filename:basename(Folder).

fail_to_listen(Host, Port, Reason) ->
    fail(?SYSTEM, io_lib:format("cannot listen on ~ts:~b (~0tp)", [Host, Port, Reason]), "free it, or ask for less or another").

%% Ends the emulator with one last line on standard error, after all logs have been written.
fail(Code, What, Next) ->
    catch logger_std_h:filesync(default),
    io:format(standard_error, "error: ~ts: ~ts; ~ts~n", [name(), What, Next]),
    halt(Code).

%% The `pingpong` for dialects without events, with a count of this emulator's pings, as in listing A.2 of the thesis.
answer_ping(Text) ->
    case read_json(Text) of
        #{<<"event">> := <<"ping">>} ->
            Count = atomics:add_get(persistent_term:get(?MODULE), 1, 1),
            ["{\"event\":\"pong\",\"data\":", integer_to_binary(Count), $}];
        _ -> none
    end.

%% The `json-ping`, with the time of this server's clock in whole Unix seconds.
answer_json_ping(Text) ->
    case read_json(Text) of
        #{<<"data">> := <<"ping">>} -> ["{\"data\":\"pong\",\"timestamp\":", integer_to_binary(os:system_time(second)), $}];
        _ -> none
    end.

%% Returns none for a message in another dialect: do not answer, but do not close either.
read_json(Text) ->
    try decode(Text)
    catch error:_ -> none
    end.

%% Erlang has its own decoder since release 27, and RabbitMQ no longer ships jsx.
-if(?OTP_RELEASE >= 27).
decode(Text) -> json:decode(Text).
-else.
decode(Text) -> jsx:decode(Text, [return_maps]).
-endif.
