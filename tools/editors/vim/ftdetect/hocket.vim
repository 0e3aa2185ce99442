" hocket.vim - which files are Hocket's
autocmd BufRead,BufNewFile *.hkt setfiletype hocket
