-- anamnesis: documents as buffers: read from the server, never written.
local M = {}

local TIMEOUT = 20000

---The filetype of a document.
local function filetype(uri)
  local kind, rest = uri:match('^anamnesis:///(%a+)/([^?]*)')
  if kind == 'diff' then
    return 'diff'
  elseif kind == 'file' then
    return vim.filetype.match({ filename = vim.uri_decode(rest) }) or ''
  end
  return 'markdown'
end

local function content(uri)
  local client = require('anamnesis').client()
  if not client then
    return nil, 'anamnesis is not running: open a file of the repository first.'
  end
  local answer, err = client:request_sync('anamnesis/content', { uri = uri }, TIMEOUT)
  if not answer then
    return nil, 'The server did not answer: ' .. (err or '')
  elseif answer.err then
    local data = type(answer.err.data) == 'table' and answer.err.data or {}
    return nil, (data.message or answer.err.message) .. (data.remedy and '\n' .. data.remedy or '')
  end
  return answer.result.text, nil, client
end

local function fill(buffer, text)
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then
    table.remove(lines)
  end
  vim.bo[buffer].modifiable, vim.bo[buffer].readonly = true, false
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable, vim.bo[buffer].readonly = false, true
  vim.bo[buffer].modified = false
end

local function keys(buffer)
  local anamnesis = require('anamnesis')
  local function map(lhs, run, desc)
    vim.keymap.set('n', lhs, run, { buffer = buffer, nowait = true, desc = desc })
  end
  for _, lhs in ipairs({ 'gd', 'gx' }) do
    map(lhs, function()
      anamnesis.open()
    end, 'Open the citation')
  end
  map('<CR>', anamnesis.open_or_choose, 'Open the citation, or choose one')
  map('q', '<Cmd>close<CR>', 'Close the window')
  map('g?', '<Cmd>help anamnesis-keys<CR>', 'Keys')
end

---The folds of each buffer, from the server: 'foldexpr' of each line, and the lines where what stands beside begins.
---@type table<integer, { of: table<integer, string>, beside: integer[] }>
local folds = {}

local function read_folds(client, buffer, uri)
  local answer = client:request_sync('textDocument/foldingRange', { textDocument = { uri = uri } }, TIMEOUT, buffer)
  local depth, starts, beside = {}, {}, {}
  for _, range in ipairs(answer and type(answer.result) == 'table' and answer.result or {}) do
    for line = range.startLine + 1, range.endLine + 1 do
      depth[line] = (depth[line] or 0) + 1
    end
    starts[range.startLine + 1] = true
    if range.kind == 'region' then
      beside[#beside + 1] = range.startLine + 1
    end
  end
  local of = {}
  for line, deep in pairs(depth) do
    of[line] = (starts[line] and '>' or '') .. deep
  end
  folds[buffer] = { of = of, beside = beside }
end

---BufReadCmd: synchronous, so that a jump finds its lines. Nothing of the text is obeyed: modelines are off first.
function M.read(buffer, uri)
  vim.bo[buffer].modeline = false
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].undolevels = -1
  vim.bo[buffer].bufhidden = 'hide'
  local text, problem, client = content(uri)
  if client then
    read_folds(client, buffer, uri)
  end
  fill(buffer, text or problem)
  if not text then
    return
  end
  vim.bo[buffer].filetype = filetype(uri)
  vim.bo[buffer].modeline = false
  keys(buffer)
  if client then
    vim.lsp.buf_attach_client(buffer, client.id)
  end
end

---Read a document again where it is loaded.
function M.renew(uri)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer) == uri and vim.api.nvim_buf_is_loaded(buffer) then
      local text, _, client = content(uri)
      if text then
        read_folds(client, buffer, uri)
        fill(buffer, text)
      end
    end
  end
end

---A window of this tab that shows a document of ours.
local function shown_window()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
    if name:match('^anamnesis:') and vim.api.nvim_win_get_config(window).relative == '' then
      return window
    end
  end
end

local function beside()
  local window = shown_window()
  if window then
    vim.api.nvim_set_current_win(window)
  elseif vim.api.nvim_win_get_width(0) >= 140 then
    vim.cmd('rightbelow vsplit')
  else
    vim.cmd('rightbelow split')
  end
end

---Show a URI. `split`: beside the code, in the window of our documents where there is one; else in this window, or
---out of a floating one.
---@param range lsp.Range?
function M.open(uri, range, opts)
  local floating = vim.api.nvim_win_get_config(0).relative ~= ''
  local ours = vim.api.nvim_buf_get_name(0):match('^anamnesis:')
  if floating then
    vim.api.nvim_win_close(0, false)
  end
  if (opts and opts.split) or not ours then
    beside()
  end
  vim.cmd("normal! m'")
  local buffer = vim.uri_to_bufnr(uri)
  vim.bo[buffer].buflisted = true
  vim.api.nvim_win_set_buf(0, buffer)
  if uri:match('^anamnesis:') then
    vim.wo[0][0].wrap, vim.wo[0][0].linebreak = true, true
    vim.wo[0][0].breakindent = true
    if vim.bo[buffer].filetype == 'markdown' then
      vim.wo[0][0].foldexpr, vim.wo[0][0].foldlevel = "v:lua.require'anamnesis.document'.fold(v:lnum)", 99
      vim.wo[0][0].foldmethod = 'expr'
      if uri:match('^anamnesis:///recall/') then
        M.fold_beside()
      end
    end
  end
  if range then
    local line = math.min(range.start.line + 1, vim.api.nvim_buf_line_count(buffer))
    vim.api.nvim_win_set_cursor(0, { line, 0 })
    vim.cmd('normal! zv')
    if line > vim.api.nvim_win_get_height(0) * 2 / 3 then -- else what stands above, a commit's message, stays in view
      vim.cmd('normal! zt')
    end
  end
end

---Text without marks, in a scratch buffer beside the code.
function M.open_plain(text)
  beside()
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].modeline, vim.bo[buffer].bufhidden = false, 'wipe'
  fill(buffer, text)
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0][0].wrap, vim.wo[0][0].linebreak = true, true
  vim.wo[0][0].foldenable = false
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, nowait = true, desc = 'Close the window' })
end

---'foldexpr' of our Markdown: a fold for each section, turn or change.
function M.fold(lnum)
  local known = folds[vim.api.nvim_get_current_buf()]
  return known and known.of[lnum] or '0'
end

---Where the story does not fit its window, close what stands beside it: its sections stay, as headings.
function M.fold_beside()
  local known = folds[vim.api.nvim_get_current_buf()]
  if not known or vim.api.nvim_win_text_height(0, {}).all <= vim.api.nvim_win_get_height(0) then
    return
  end
  vim.cmd('normal! zx')
  for _, line in ipairs(known.beside) do
    vim.cmd(('silent! %dfoldclose'):format(line))
  end
end

---window/showDocument from the server.
function M.show_requested(params)
  if params.external then
    return { success = false }
  end
  M.open(params.uri, params.selection, { split = true })
  return { success = true }
end

---The locator of the link under the cursor: a citation [n], the text of a link, or a locator as it stands.
function M.locator_at_cursor()
  local line, column = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2] + 1
  local function under(pattern)
    local from = 1
    while true do
      local first, last, found = line:find(pattern, from)
      if not first then
        return nil
      elseif first <= column and column <= last then
        return found
      end
      from = last + 1
    end
  end
  local plain = under('(anamnesis:///[^%s<>()]+)')
  if plain then
    return plain
  end
  local key = under('%b[]%[([^%[%]]+)%]') or under('%[%[?([^%[%]]+)%]%]?')
  if not key then
    return nil
  end
  for _, text in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local name, target = text:match('^%[([^%]]+)%]:? (anamnesis:///%S+)')
    if name == key then
      return target
    end
  end
end

---The locator of the link under the cursor as the server has it: a citation leads to the turn that its sentence quotes.
function M.link_at_cursor()
  local uri = vim.api.nvim_buf_get_name(0)
  local client = uri:match('^anamnesis:') and require('anamnesis').client()
  if not client then
    return nil
  end
  local answer = client:request_sync('textDocument/documentLink', { textDocument = { uri = uri } }, TIMEOUT, 0)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  for _, link in ipairs(answer and type(answer.result) == 'table' and answer.result or {}) do
    local first, last = link.range.start, link.range['end']
    if first.line == row - 1 and type(link.target) == 'string' and link.target:match('^anamnesis:') then
      local from = vim.str_byteindex(line, client.offset_encoding, first.character, false)
      local to = vim.str_byteindex(line, client.offset_encoding, last.character, false)
      if from - 1 <= column and column <= to then -- the outer bracket of [[n]] too
        return link.target
      end
    end
  end
end

---The links of this document, in the order of its end: a list of { name, locator }.
function M.locators()
  local found = {}
  for _, text in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local name, target = text:match('^%[([^%]]+)%]: (anamnesis:///%S+)')
    if name then
      found[#found + 1] = { name = name, locator = target }
    end
  end
  return found
end

return M
