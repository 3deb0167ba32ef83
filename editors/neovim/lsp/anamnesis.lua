-- The configuration of vim.lsp.enable('anamnesis'); change it with vim.lsp.config('anamnesis', { ... }).
local missing_told = false

---@type vim.lsp.Config
return {
  cmd = { 'anamnesis-lsp', 'serve' },
  -- every filetype, but only files of a git repository
  root_dir = function(buffer, on_dir)
    if vim.bo[buffer].buftype ~= '' then
      return
    end
    local root = vim.fs.root(buffer, '.git')
    if not root then
      return
    end
    local cmd = vim.lsp.config.anamnesis.cmd
    if type(cmd) == 'table' and vim.fn.executable(cmd[1]) == 0 then
      if not missing_told then
        missing_told = true
        vim.notify(
          ('anamnesis: %s is not installed. Install it with `uv tool install anamnesis-lsp`, or name it with '):format(cmd[1])
            .. "vim.lsp.config('anamnesis', { cmd = { … } }). See :checkhealth anamnesis.",
          vim.log.levels.WARN
        )
      end
      return
    end
    on_dir(root)
  end,
  settings = { anamnesis = {} },
  before_init = function(params, config)
    params.initializationOptions = {
      virtualDocuments = true,
      anamnesis = vim.tbl_get(config, 'settings', 'anamnesis') or vim.empty_dict(),
    }
  end,
  handlers = {
    ['window/showDocument'] = function(_, result)
      return require('anamnesis.document').show_requested(result)
    end,
    ['anamnesis/roundPresented'] = function(_, round)
      require('anamnesis').keep(round)
    end,
  },
}
