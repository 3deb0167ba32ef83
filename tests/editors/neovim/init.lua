-- Neovim as a person would have it: the plugin on the runtime path, the server named.
local root = assert(vim.env.ANAMNESIS_ROOT)
vim.opt.runtimepath:prepend(root .. '/editors/neovim')
vim.lsp.config('anamnesis', { cmd = { assert(vim.env.ANAMNESIS_PYTHON), '-m', 'anamnesis_lsp', 'serve' } })
