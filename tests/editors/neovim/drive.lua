-- The person's path, headless. One JSON line per check into $ANAMNESIS_RESULTS.
local out = assert(io.open(assert(vim.env.ANAMNESIS_RESULTS), 'w'))
local function check(name, run)
  local ok, value = xpcall(run, debug.traceback)
  out:write(vim.json.encode({ name = name, ok = ok, detail = tostring(value) }) .. '\n')
  out:flush()
  if not ok and name == 'attaches' then
    vim.cmd('cq!')
  end
end
local function eventually(what, test, timeout)
  if not vim.wait(timeout or 60000, test, 20) then
    error('never: ' .. what .. '\n' .. vim.api.nvim_buf_get_name(0) .. '\n' .. vim.api.nvim_exec2('messages', { output = true }).output)
  end
end
local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false), '\n')
end
local function has(needle, buffer)
  local all = text(buffer)
  assert(all:find(needle, 1, true), needle .. ' is not in:\n' .. all:sub(1, 2000))
  return needle
end
local function name()
  return vim.api.nvim_buf_get_name(0)
end
-- whatever is asked is answered as a person would: the input as given, the choice by its label
local typed, chosen, offered
vim.ui.input = function(opts, done)
  offered = opts
  done((opts.default or '') .. typed)
end
vim.ui.select = function(items, opts, done)
  offered = {}
  for i, item in ipairs(items) do
    offered[i] = opts.format_item and opts.format_item(item) or tostring(item)
    if offered[i]:find(chosen, 1, true) then
      return done(item, i)
    end
  end
  error('no choice ' .. chosen .. ' in ' .. vim.inspect(offered))
end
local anamnesis = require('anamnesis')
local function answered(command)
  local before = anamnesis.round()
  vim.cmd(command)
  eventually('the answer to ' .. command, function() return anamnesis.round() ~= before end)
  return anamnesis.round()
end
local told = vim.json.decode(assert(vim.env.ANAMNESIS_EXAMPLE_TOLD))
local code = vim.api.nvim_get_current_win()
local buffer = vim.api.nvim_get_current_buf()

check('Recollect right after opening waits for the server that is starting', function()
  assert(#vim.lsp.get_clients({ name = 'anamnesis' }) == 0, 'it runs already')
  vim.lsp.enable('anamnesis') -- what the plugin does a moment later
  vim.cmd(('%dRecollect'):format(told.line))
  eventually('story', function() return name():find('^anamnesis:///recall/') end)
  vim.cmd('RecollectEnd')
  eventually('its end', function() return text():find('## Scope', 1, true) end)
  vim.cmd('close')
  vim.api.nvim_set_current_win(code)
end)

check('attaches', function()
  eventually('client', function()
    local client = vim.lsp.get_clients({ bufnr = buffer, name = 'anamnesis' })[1]
    return client and client.initialized
  end)
  local client = vim.lsp.get_clients({ bufnr = buffer })[1]
  return client.server_info.name .. ' in Neovim ' .. tostring(vim.version())
end)

check('hover', function()
  vim.api.nvim_win_set_cursor(0, { told.line, 1 })
  local client = vim.lsp.get_clients({ bufnr = buffer })[1]
  local value
  eventually('hover', function()
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    local answer = client:request_sync('textDocument/hover', params, 5000, buffer)
    value = answer and answer.result and answer.result ~= vim.NIL and answer.result.contents.value
    return value and value:find(told.hover, 1, true)
  end)
  return value
end)

check('code action', function()
  local found
  vim.lsp.buf.code_action({ filter = function(action)
    found = action.title
    return false
  end })
  eventually('an action', function() return found end)
  assert(found:find('^Recollect'), found)
  return found
end)

check('recollect on a selection opens the story beside the code', function()
  vim.cmd(('%d,%dRecollect'):format(told.first, told.last))
  eventually('story', function() return name():find('^anamnesis:///recall/') end)
  assert(vim.api.nvim_get_current_win() ~= code, 'the code is not covered')
  for _, said in ipairs(told.story) do has(said) end
  assert(vim.bo.filetype == 'markdown' and vim.bo.buftype == 'nofile' and not vim.bo.modifiable and not vim.bo.modeline)
  return name()
end)
local story = vim.api.nvim_get_current_buf()
local function to_story()
  vim.api.nvim_win_set_buf(0, story)
end
local function cursor_on(needle, nth)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(needle, 1, true)
    if column and not line:find('^%[[^%]]+%]:') then
      nth = (nth or 1) - 1
      if nth == 0 then
        vim.api.nvim_win_set_cursor(0, { number, column + 1 })
        return line
      end
    end
  end
  error('no ' .. needle .. ' in\n' .. text())
end
local function citation(pattern)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if line:find(pattern) then
      return '[[' .. line:match('^%[(%d+)%]') .. ']]', number
    end
  end
  error('no citation of ' .. pattern .. ' in\n' .. text())
end

check('outline of the story', function()
  local client = vim.lsp.get_clients({ bufnr = story })[1]
  local answer = client:request_sync('textDocument/documentSymbol', { textDocument = { uri = name() } }, 5000, story)
  local symbols = answer.result[1].children
  assert(#symbols >= 2, vim.inspect(answer.result))
  return symbols[1].name
end)

-- what of the story is folded in its window: the first line of each closed fold
local function folded()
  local heads, line = {}, 1
  while line <= vim.fn.line('$') do
    local last = vim.fn.foldclosedend(line)
    if last > 0 then heads[#heads + 1] = vim.fn.getline(line) end
    line = math.max(line, last) + 1
  end
  return heads
end

check('a story that does not fit its window is folded, but for the story and its records', function()
  to_story()
  local win = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_height(win, 8)
  require('anamnesis.document').open(name(), nil, { split = true })
  local heads = folded()
  assert(#heads > 0, text())
  for _, head in ipairs(heads) do
    assert(not vim.list_contains({ '# Why is this here?', '## Story', '## Records' }, head), vim.inspect(heads))
  end
  assert(heads[#heads]:find('^%[1%]: anamnesis:///'), vim.inspect(heads))
  assert(vim.fn.foldlevel(vim.fn.search('^## Story', 'nw')) == 1, 'the story can be folded')
  vim.cmd('normal! zR')
  assert(#folded() == 0)
  vim.cmd('normal! zM')
  heads = folded()
  assert(vim.list_contains(heads, '## Story') and vim.list_contains(heads, '## Records'), vim.inspect(heads))
  vim.cmd('normal! zR')
  return vim.inspect(heads)
end)

check('a citation is chosen from the list where the cursor is on none', function()
  to_story()
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  chosen = '[' .. told.commit_number .. ']'
  vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xt', false)
  eventually('commit', function() return name():find('^anamnesis:///commit/') end)
  has(told.commit)
  return vim.inspect(offered)
end)

check('gd on a citation opens the commit', function()
  to_story()
  cursor_on((citation('anamnesis:///commit/%x+/' .. told.commit)))
  vim.api.nvim_feedkeys('gd', 'xt', false)
  eventually('commit', function() return name():find('^anamnesis:///commit/') end)
  has(told.commit)
  has(told.commit_says)
  has(told.added)
  return name()
end)

check('gd goes on to the file at the revision, at its lines', function()
  cursor_on('[the file here]')
  vim.api.nvim_feedkeys('gd', 'xt', false)
  eventually('file', function() return name():find('^anamnesis:///file/') end)
  has(told.added)
  assert(vim.bo.filetype ~= '' and vim.bo.filetype == vim.bo[buffer].filetype, vim.bo.filetype)
  return name() .. ' at ' .. vim.api.nvim_win_get_cursor(0)[1]
end)

check('CTRL-O steps back to the commit', function()
  vim.api.nvim_feedkeys(vim.keycode('<C-o>'), 'xt', false)
  eventually('back', function() return name():find('^anamnesis:///commit/') end)
  has(told.commit_says)
end)

check('gx opens the conversation at its turn', function()
  to_story()
  cursor_on((citation('anamnesis:///conversation/claude%-code/')))
  vim.api.nvim_feedkeys('gx', 'xt', false)
  eventually('conversation', function() return name():find('^anamnesis:///conversation/') end)
  local line = vim.api.nvim_get_current_line()
  assert(line:find('←', 1, true), 'the cursor is on: ' .. line)
  has(told.session)
  return line
end)

check('gd on the citation of a sentence leads to the turn that it quotes', function()
  to_story()
  local seen = {}
  for _, sentence in ipairs(anamnesis.round().story) do
    local turn = sentence.locators[1]:match('/conversation/.*[?&]turn=(%d+)')
    if turn and not seen[turn] then
      seen[turn] = true
      to_story()
      cursor_on(('[[%d]]'):format(sentence.cites[1]), (function() -- which one of that number it is
        local nth = 0
        for _, other in ipairs(anamnesis.round().story) do
          if other.cites[1] == sentence.cites[1] then nth = nth + 1 end
          if other == sentence then return nth end
        end
      end)())
      vim.api.nvim_feedkeys('gd', 'xt', false)
      eventually('turn ' .. turn, function() return vim.api.nvim_get_current_line():find('^## ' .. turn .. ' · .*←') end, 10000)
    end
  end
  assert(next(seen), vim.inspect(anamnesis.round().story))
  return vim.inspect(vim.tbl_keys(seen))
end)

check('definition by the language server alone', function()
  to_story()
  cursor_on((citation('anamnesis:///commit/%x+/' .. told.commit)))
  vim.lsp.buf.definition()
  eventually('commit', function() return name():find('^anamnesis:///commit/') end)
end)

check('the change in a split', function()
  to_story()
  cursor_on((citation('anamnesis:///commit/%x+/' .. told.commit)))
  vim.cmd('RecollectDiff')
  eventually('two windows', function() return #vim.api.nvim_tabpage_list_wins(0) == 2 and vim.wo.diff end)
  has(told.added)
  local after = text()
  vim.cmd('wincmd h')
  local before = text()
  assert(not before:find(told.added, 1, true) and #before > 0 and before ~= after, before)
  vim.cmd('tabclose')
end)

check('the story as plain text, for a screen reader', function()
  to_story()
  vim.cmd('RecollectPlain')
  eventually('plain text', function() return text():find('^WHY IS THIS HERE') end)
  assert(vim.bo.filetype == '' and not vim.bo.modifiable and not text():find('\n## ', 1, true) and not text():find('%[%[%d') and not text():find(']: anamnesis', 1, true), text())
  to_story()
end)

check('copy of the context as Markdown', function()
  to_story()
  vim.cmd('RecollectCopy markdown')
  eventually('register', function() return vim.fn.getreg('"'):find('**Recalled context**', 1, true) end)
  assert(vim.fn.getreg('"'):find(told.commit:sub(1, 9), 1, true), vim.fn.getreg('"'))
end)

check('copy of the context', function()
  to_story()
  vim.cmd('RecollectCopy commit')
  eventually('register', function() return vim.fn.getreg('"'):find('Recalled:', 1, true) end)
  return vim.fn.getreg('"')
end)

check('the conversation is resumed in a terminal, not before Enter', function()
  to_story()
  chosen = '[' .. told.session_number .. ']' -- asked only where there are several
  vim.cmd('RecollectResume')
  local function typed_in() return (text():gsub('\n', '')) end -- a terminal breaks long lines
  eventually('command typed', function() return typed_in():find('claude --resume ' .. told.session, 1, true) end)
  vim.wait(300)
  assert(not text():find('not found', 1, true), text())
  vim.cmd('bdelete!')
end)

check('correction', function()
  vim.api.nvim_set_current_win(code)
  anamnesis.open(nil) -- no citation here: nothing happens
  vim.cmd('wincmd j')
  to_story()
  chosen, typed = 'Not this, because', told.correction:gsub('^No, ', '')
  vim.cmd('RecollectSay')
  for _, said in ipairs(told.corrected) do
    eventually(said, function() return text(story):find(said, 1, true) end)
  end
  return text(story):sub(1, 600)
end)

check('more of the cue by words', function()
  answered('RecollectSay ' .. told.more)
  has(told.more_told, story)
  return anamnesis.round().outcome .. ' ' .. vim.inspect(anamnesis.round().reading)
end)

check('identification', function()
  vim.api.nvim_set_current_win(code)
  assert(answered(told.line .. 'Recollect').outcome == 'presented', anamnesis.round().outcome)
  assert(answered('RecollectIdentify').outcome == 'identified', anamnesis.round().outcome)
  has('# Recalled')
end)

check('a cue alone', function()
  answered('Recollect ' .. told.cue)
  has(told.cue_told)
  return text():sub(1, 900)
end)

check('the end keeps the recall', function()
  local outcome = answered('RecollectEnd').outcome
  assert(vim.list_contains({ 'answered', 'holding' }, outcome), outcome)
  has('## Scope')
end)

check('recalls are listed', function()
  chosen, offered = 'identified', nil
  vim.cmd('Recalls')
  eventually('a list', function() return offered end)
  eventually('story', function() return text():find('# Recalled', 1, true) end)
  return vim.inspect(offered)
end)

check('a locator that names nothing is one clear message', function()
  local message
  local notify = vim.notify
  vim.notify = function(said) message = said end
  vim.cmd('RecollectOpen anamnesis:///commit/000000000000/' .. told.commit .. '.md')
  eventually('message', function() return message end)
  vim.notify = notify
  return message
end)

check('checkhealth', function()
  vim.cmd('checkhealth anamnesis')
  has('running: anamnesis-lsp')
  has('claude-code')
  assert(not text():find('ERROR'), text())
end)

check('help', function()
  vim.cmd('helptags ' .. vim.env.ANAMNESIS_ROOT .. '/editors/neovim/doc')
  vim.cmd('help anamnesis')
  vim.cmd('help :RecollectSay')
  return name()
end)

out:close()
vim.cmd('qa!')
