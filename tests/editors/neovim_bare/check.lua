-- Selects lines, runs Recollect as a person would, and writes one line per check to $ANAMNESIS_OUT.
local out, bad = {}, 0
local function check(name, ok, value)
  if not ok then bad = bad + 1 end
  local shown = type(value) == 'string' and value or vim.inspect(value, { newline = ' ', indent = '' })
  table.insert(out, (ok and 'ok   ' or 'FAIL ') .. name .. ': ' .. shown:gsub('\n', ' | '):sub(1, 300))
end
local function client() return vim.lsp.get_clients({ bufnr = 0, name = 'anamnesis' })[1] end
local function wait(what, condition, ms) check(what, vim.wait(ms or 20000, condition, 20), 'waited') end
local function find(pattern)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(pattern)
    if column then return number, column - 1, line end
  end
end

local fine, err = xpcall(function()
  wait('attached', function() local c = client(); return c ~= nil and c.initialized end)
  local c = client()
  check('encoding', c.offset_encoding == 'utf-8', c.offset_encoding)
  vim.api.nvim_win_set_cursor(0, { 5, 4 })

  -- hover, once the file is warm
  local hover
  vim.wait(20000, function()
    local answer = c:request_sync('textDocument/hover', vim.lsp.util.make_position_params(0, c.offset_encoding), 5000, 0)
    hover = answer and answer.result
    return hover ~= nil
  end, 200)
  check('hover', hover ~= nil and hover.contents.value:find('Grace Hopper', 1, true) ~= nil, hover and hover.contents.value)

  wait('the conversations are read', function() -- a recall waits three seconds for them, which a busy machine takes
    local stores = c:request_sync('workspace/executeCommand', { command = 'anamnesis.stores', arguments = {} }, 5000, 0)
    for _, store in ipairs(stores and stores.result or {}) do
      if store.kind == 'claude-code' and store.state == 'read' and type(store.records) == 'number' and store.records > 0 then return true end
    end
    return false
  end, 60000)

  -- the code action on a selection, applied by the editor
  local file = vim.api.nvim_buf_get_name(0)
  vim.cmd('normal! 4GV7G')
  vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title:find('^Recollect') ~= nil end })
  wait('story shown', function() return vim.api.nvim_buf_get_name(0) ~= file and find('^## Story') ~= nil end, 60000)
  vim.cmd('stopinsert')
  local story = vim.api.nvim_buf_get_name(0)
  check('story', vim.env.ANAMNESIS_VIRTUAL == '1' and story:find('^anamnesis:///recall/') ~= nil or story:find('/copies/') ~= nil, story)
  check('read only', not vim.bo.modifiable or vim.fn.filewritable(story) == 0 or vim.bo.readonly, story)
  wait('attached to the story', function() local s = client(); return s ~= nil and s.initialized end)

  -- outline and links
  local here = { textDocument = { uri = vim.uri_from_bufnr(0) } }
  local symbols = client():request_sync('textDocument/documentSymbol', here, 5000, 0)
  check('outline', symbols.result ~= nil and #symbols.result > 0, symbols.err or #(symbols.result or {}))
  local links = client():request_sync('textDocument/documentLink', here, 5000, 0)
  check('links', links.result ~= nil and #links.result > 3, links.err or #(links.result or {}))

  -- from a citation of the conversation to its turn, by the editor's own go-to-definition
  local number, column, line = find('%[%[%d+%]%] Claude Code conversation')
  check('the record', number ~= nil, line or 'none')
  local cite = line:find('%[%[%d')
  vim.api.nvim_win_set_cursor(0, { number, cite })
  vim.lsp.buf.definition()
  wait('citation opened', function() return find('can we retry with a backoff') ~= nil and find('the person ·') ~= nil end)
  local at = vim.api.nvim_get_current_line()
  check('at its turn', at:find('^## %d+ · .* ←$') ~= nil, at) -- the mark stands at the cited turn alone

  -- open by locator, correct, identify, copy
  local say = client():request_sync('workspace/executeCommand', { command = 'anamnesis.identify', arguments = { { show = false } } }, 30000, 0)
  check('identified', say.result ~= nil and say.result.outcome == 'identified', say.err or say.result.outcome)
  local copy = client():request_sync('workspace/executeCommand', { command = 'anamnesis.copyContext', arguments = { { as = 'commit' } } }, 10000, 0)
  check('copied', copy.result ~= nil and copy.result.text:find('^Recalled:') ~= nil, copy.err or copy.result.text)
  check('no messages of trouble', not vim.fn.execute('messages'):find('[Ee]rror'), vim.fn.execute('messages'))
end, debug.traceback)
if not fine then check('run', false, err) end
table.insert(out, string.format('%d checks, %d failed', #out, bad))
vim.fn.writefile(out, assert(vim.env.ANAMNESIS_OUT))
vim.cmd(bad == 0 and 'qa!' or 'cq!')
