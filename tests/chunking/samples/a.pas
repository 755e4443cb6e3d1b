unit Geo;
interface
uses SysUtils;
const Limit = 5;
type
  TColor = (Red, Green);
  TCircle = class(TObject)
  private
    FR: Integer;
  public
    constructor Create(r: Integer);
    function Area: Integer;
    property R: Integer read FR;
  end;
var Total: Integer;
procedure Run(x: Integer);
implementation
{ Doc. }
procedure Run(x: Integer);
begin
end;
constructor TCircle.Create(r: Integer);
begin
end;
end.
