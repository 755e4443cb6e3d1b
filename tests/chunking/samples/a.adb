with Ada.Text_IO;
package body Geo is
   Limit : constant Integer := 5;
   type Circle is record R : Integer; end record;
   type Color is (Red, Green);
   -- Doc.
   function Area (X : Integer) return Integer is
   begin
      return X;
   end Area;
   procedure Run;
   procedure Run is null;
   task body T is begin null; end T;
   generic type E is private; package G is end G;
   subtype S is Integer;
   Bad : exception;
   type Kept (Big : Boolean) is record
      case Big is
         when True => Low, High : Integer;
      end case;
   end record;
   protected type Gate is
      procedure Open;
   private
      Count : Integer := 0;
   end Gate;
end Geo;
