my-func() { echo; }
function pkg::run { echo; }
function do.it() { echo; }
readonly TOP_DIR=/
