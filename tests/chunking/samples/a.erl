-module(app).
-export([area/1]).
-include("x.hrl").
-define(LIMIT, 5).
-record(state, {name, age = 1}).
-type shape() :: circle.
-opaque o() :: int.
-callback init(Args :: term()) -> ok.
-spec area(integer()) -> integer().
%% @doc Doc.
area(0) -> 0;
area(X) when X > 0 ->
    X * X.
other() -> ok.
