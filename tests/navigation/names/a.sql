CREATE TABLE "order items" (id INT);
CREATE TABLE [user list] (id INT);
CREATE FUNCTION `add two`(a INT) RETURNS INT RETURN a;
CREATE VIEW shop.daily_sales AS SELECT 1;
