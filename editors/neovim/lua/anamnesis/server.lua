-- The server's program: what the person configured, else where an installation puts it.
local M = {}

local NAME = 'anamnesis-lsp'

---The program: on PATH, where pipx and uv put it, or in the environment of the clone this plugin lies in.
---@return string?
function M.program()
  if vim.fn.executable(NAME) == 1 then
    return NAME
  end
  local here = debug.getinfo(1, 'S').source:gsub('^@', '')
  local clone = vim.fs.normalize(vim.fs.joinpath(vim.fs.dirname(vim.fn.resolve(here)), '../../../..'))
  for _, place in ipairs({ vim.fs.normalize('~/.local/bin'), vim.fs.joinpath(clone, '.venv/bin') }) do
    local program = vim.fs.joinpath(place, NAME)
    if vim.fn.executable(program) == 1 then
      return program
    end
  end
end

---What starts the server, and whether that is there. `cmd` is the person's own where they configured one.
---@return string command, boolean found
function M.command()
  local cmd = vim.lsp.config.anamnesis and vim.lsp.config.anamnesis.cmd
  if type(cmd) == 'table' then
    return table.concat(cmd, ' '), vim.fn.executable(cmd[1]) == 1
  end
  local program = M.program()
  return (program or NAME) .. ' serve', program ~= nil
end

---Start it; for vim.lsp.Config.cmd.
function M.start(dispatchers)
  return vim.lsp.rpc.start({ M.program() or NAME, 'serve' }, dispatchers, { cwd = vim.uv.os_homedir() })
end

return M
