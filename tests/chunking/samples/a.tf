terraform { required_version = "1" }
variable "region" { default = "x" }
resource "aws_s3_bucket" "logs" {
  bucket = "b"
}
module "vpc" { source = "./x" }
output "o" { value = 1 }
locals {
  limit = 5
  name = "x"
}
data "aws_ami" "img" { }
provider "aws" { }
resource "a_kind" "kept" {
  provisioner "local-exec" {}
}
