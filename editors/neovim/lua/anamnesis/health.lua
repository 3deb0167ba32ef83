-- :checkhealth anamnesis
local M = {}

local function output(command)
  local ok, done = pcall(function()
    return vim.system(command, { text = true, timeout = 10000 }):wait()
  end)
  return ok and done.code == 0 and vim.trim(done.stdout) or nil
end

function M.check()
  local health = vim.health
  health.start('anamnesis')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.11 or newer is needed.')
    return
  end
  local git = output({ 'git', '--version' })
  local major, minor = (git or ''):match('(%d+)%.(%d+)')
  if not git then
    health.error('git is not on PATH.', 'Install git 2.30 or newer.')
  elseif tonumber(major) < 2 or (tonumber(major) == 2 and tonumber(minor) < 30) then
    health.error(git .. ' is too old.', 'Install git 2.30 or newer.')
  else
    health.ok(git)
  end
  local command, found = require('anamnesis.server').command()
  if found then
    health.ok('server: ' .. command)
  else
    health.error(command:match('^%S+') .. ' is not there.', {
      'in a clone of anamnesis-lsp: pipx install .   (or: uv tool install .)',
      "or name it: vim.lsp.config('anamnesis', { cmd = { '/path/to/anamnesis-lsp', 'serve' } })",
    })
  end
  if not vim.lsp.is_enabled('anamnesis') then
    health.warn("It is not enabled.", "vim.lsp.enable('anamnesis')")
  end
  local client = vim.lsp.get_clients({ name = 'anamnesis' })[1]
  if not client then
    health.info('It is not running: it starts with the first file of a git repository.')
    return
  end
  local info = client.server_info or {}
  health.ok(('running: %s %s, root %s'):format(info.name or '?', info.version or '?', client.root_dir or 'none'))
  local answer = client:request_sync('anamnesis/stores', vim.empty_dict(), 5000)
  for _, store in ipairs(answer and answer.result or {}) do
    if store.state ~= 'absent' then
      local count = type(store.records) == 'number' and (' (%d records)'):format(store.records) or ''
      local note = store.note ~= '' and ': ' .. store.note or ''
      local tell = store.state == 'unreadable' and health.warn or health.info
      tell(('%s: %s%s%s'):format(store.kind, store.state, count, note))
    end
  end
end

return M
