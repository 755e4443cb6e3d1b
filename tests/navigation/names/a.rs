fn r#type() {}
struct r#Box2 { r#in: u8 }
impl r#Box2 { fn r#match(&self) {} }
macro_rules! say { () => {} }
