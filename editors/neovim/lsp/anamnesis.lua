-- The configuration of vim.lsp.enable('anamnesis'); change it with vim.lsp.config('anamnesis', { ... }).
---@type vim.lsp.Config
return {
  cmd = function(dispatchers)
    return require('anamnesis.server').start(dispatchers)
  end,
  -- every filetype, but only files of a git repository
  root_dir = function(buffer, on_dir)
    if vim.bo[buffer].buftype ~= '' then
      return
    end
    local root = vim.fs.root(buffer, '.git')
    if not root then
      return
    end
    local _, found = require('anamnesis.server').command()
    if found then -- else it is said when it is asked for, and by :checkhealth
      on_dir(root)
    end
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
