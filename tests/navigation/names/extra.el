(defun my/go-there () 1)
(defun org--parse->x () 1)
(defvar my-mode-hook nil)
(defcustom x/y:z nil "d")
