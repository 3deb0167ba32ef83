-- Neovim 0.11 with its own LSP client and no plugin. $ANAMNESIS_COMMAND starts the server; $ANAMNESIS_VIRTUAL=1 adds the
-- five lines by which a client without workspace/textDocumentContent opens anamnesis: URIs.
local virtual = vim.env.ANAMNESIS_VIRTUAL == '1'
vim.lsp.config('anamnesis', {
  cmd = vim.split(assert(vim.env.ANAMNESIS_COMMAND), ' '),
  filetypes = { 'python', 'markdown' },
  root_dir = assert(vim.env.ANAMNESIS_ROOT),
  init_options = { virtualDocuments = virtual },
})
vim.lsp.enable('anamnesis')
if virtual then
  vim.api.nvim_create_autocmd('BufReadCmd', {
    pattern = 'anamnesis:///*',
    callback = function(event)
      local client = assert(vim.lsp.get_clients({ name = 'anamnesis' })[1], 'no client')
      local answer = client:request_sync('anamnesis/content', { uri = event.match }, 10000)
      local text = answer and answer.result and answer.result.text or vim.inspect(answer and answer.err)
      vim.bo[event.buf].modeline = false -- before the text: a record may hold one
      vim.bo[event.buf].buftype = 'nofile'
      vim.bo[event.buf].swapfile = false
      vim.api.nvim_buf_set_lines(event.buf, 0, -1, false, vim.split(text, '\n'))
      vim.bo[event.buf].modifiable = false
      vim.bo[event.buf].filetype = 'markdown'
      vim.lsp.buf_attach_client(event.buf, client.id)
    end,
  })
end
