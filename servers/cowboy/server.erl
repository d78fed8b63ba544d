-module(server).
-export([start/0, init/2, websocket_init/1, websocket_handle/2, websocket_info/2]).

-define(EVERYONE, everyone). % a process group

start() ->
    contract:serve(cowboy, #{
        "echo" => fun(Frame) -> [Frame] end,
        "pingpong" => answering(fun contract:answer_ping/1),
        "idle" => fun(_) -> [] end,
        "json-ping" => answering(fun contract:answer_json_ping/1),
        "broadcast" => fun tell_everyone/1
    }, fun listen/3).

%% Maps a text frame to the frames to send.
answering(Answer) ->
    fun({_, Text}) ->
        case Answer(Text) of
            none -> [];
            Pong -> [{text, Pong}]
        end
    end.

tell_everyone(Frame) ->
    [Member ! {told, Frame} || Member <- pg:get_local_members(?MODULE, ?EVERYONE)],
    [].

listen(Address, Port, Behaviour) ->
    {ok, _} = pg:start(?MODULE),
    {ok, _} = application:ensure_all_started(cowboy),
    Routes = cowboy_router:compile([{'_', [{'_', ?MODULE, Behaviour}]}]),
    Socket = [{ip, Address}, {port, Port}, {send_timeout, infinity}],
    cowboy:start_clear(?MODULE, #{socket_opts => Socket, max_connections => infinity}, #{env => #{dispatch => Routes}}).

init(Request, Behaviour) ->
    {cowboy_websocket, Request, Behaviour, #{idle_timeout => infinity, compress => false, max_frame_size => contract:message_max_b()}}.

websocket_init(Behaviour) ->
    contract:is_asked("broadcast") andalso pg:join(?MODULE, ?EVERYONE, self()),
    {[], Behaviour}.

websocket_handle({Type, _} = Frame, Behaviour) when Type =:= text; Type =:= binary -> {Behaviour(Frame), Behaviour};
websocket_handle(_, Behaviour) -> {[], Behaviour}. % Cowboy answers pings itself

websocket_info({told, Frame}, Behaviour) -> {[Frame], Behaviour};
websocket_info(_, Behaviour) -> {[], Behaviour}.
