-- What the commands do. Everything goes through the requests of editors/PROTOCOL.md.
local document = require('anamnesis.document')

local M = {}

---The last round of each recall, and which recall is the latest.
local rounds, latest = {}, nil
---The place the person last asked about: kept while they step through records.
local last_place = nil
---What is running: { client, id }.
local running = nil

local function say(text, level)
  vim.notify(text, level or vim.log.levels.INFO, { title = 'Recollect' })
end

local function complain(err)
  local data = type(err.data) == 'table' and err.data or {}
  say((data.message or err.message or 'The request failed.') .. (data.remedy and ' ' .. data.remedy or ''), vim.log.levels.WARN)
end

---The server for a buffer: attached to it, else any that runs.
---@return vim.lsp.Client?
function M.client(buffer)
  local attached = vim.lsp.get_clients({ name = 'anamnesis', bufnr = buffer or 0 })[1]
  local client = attached or vim.lsp.get_clients({ name = 'anamnesis' })[1]
  if client and not client.initialized then
    vim.wait(5000, function()
      return client.initialized
    end, 20)
  end
  return client
end

local function need_client()
  local client = M.client()
  if not client then
    local command, found = require('anamnesis.server').command()
    if found and vim.lsp.is_enabled('anamnesis') and vim.fs.root(0, '.git') then -- just opened: it is still starting
      vim.wait(10000, function()
        client = M.client()
        return client ~= nil
      end, 20)
      if client then
        return client
      end
    end
    if not found then
      say(
        ('%s is not installed: `pipx install .` or `uv tool install .` in a clone of anamnesis-lsp, or name it with '):format(
          command:match('^%S+')
        ) .. "vim.lsp.config('anamnesis', { cmd = { … } }). Then :edit this file again.",
        vim.log.levels.WARN
      )
    else
      say('anamnesis is not running here: open a file of a git repository, or see :checkhealth anamnesis.', vim.log.levels.WARN)
    end
  end
  return client
end

---Send a request; `done` gets its result. Errors are told.
local function request(method, params, done)
  local client = need_client()
  if not client then
    return
  end
  local _, id = client:request('anamnesis/' .. method, params, function(err, result)
    running = nil
    if err then
      if err.code ~= -32800 then
        complain(err)
      end
      return
    end
    done(result)
  end)
  running = { client = client, id = id }
end

---Hold a round and renew its story where it is shown. Called for every round the server presents.
function M.keep(round)
  if type(round) ~= 'table' or type(round.recall) ~= 'string' then
    return
  end
  latest = round.recall
  if vim.deep_equal(rounds[round.recall], round) then
    return
  end
  rounds[round.recall] = round
  document.renew('anamnesis:///recall/' .. round.recall .. '.md')
  document.renew('anamnesis:///scope/' .. round.recall .. '.md')
end

---The recall that is meant: the one whose story is under the cursor, else the latest.
local function meant()
  local here = vim.api.nvim_buf_get_name(0):match('^anamnesis:///%a+/([^/]+)%.md$')
  return here and rounds[here] and here or latest
end

---The last round of the recall that is meant.
function M.round()
  local recall = meant()
  return recall and rounds[recall]
end

local function presented(round)
  M.keep(round)
  local reached = type(round.reached) == 'table' and round.reached.round
  if type(reached) == 'table' then -- the turn was about another past, which was taken up
    M.keep(reached)
    round = reached
  end
  document.open('anamnesis:///recall/' .. round.recall .. '.md', nil, { split = true })
end

local function place_of(lines)
  local uri = vim.uri_from_bufnr(0)
  return {
    uri = uri,
    version = vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()],
    range = { start = { line = lines[1] - 1, character = 0 }, ['end'] = { line = lines[2], character = 0 } },
  }
end

---Run a recall. Lines and no cue: those lines. A cue and no lines: the cue alone. Neither: the line of the cursor,
---and in a story the place it was asked about.
---@param opts { lines?: [integer, integer], cue?: string }
function M.recollect(opts)
  opts = opts or {}
  local params = { cue = opts.cue, show = false }
  local virtual = vim.api.nvim_buf_get_name(0):match('^anamnesis:')
  local lines = opts.lines
  if virtual then
    lines = nil
    if not opts.cue then
      if not last_place then
        say('Run Recollect in a file.', vim.log.levels.WARN)
        return
      end
      params = vim.tbl_extend('force', params, last_place)
    end
  elseif not lines and not opts.cue then
    local line = vim.api.nvim_win_get_cursor(0)[1]
    lines = { line, line }
  end
  if lines then
    last_place = place_of(lines)
    params = vim.tbl_extend('force', params, last_place)
  end
  request('recollect', params, presented)
end

---Stop what is running.
function M.cancel()
  if running then
    running.client:cancel_request(running.id)
    say('Stopped.')
  else
    say('Nothing is running.')
  end
end

---Take the person's words to the recall; without words, ask for them.
function M.say(text)
  if text then
    request('say', { text = text, recall = meant(), show = false }, presented)
  else
    M.menu()
  end
end

function M.identify()
  request('identify', { recall = meant(), show = false }, presented)
end

function M.finish()
  request('end', { recall = meant(), show = false }, presented)
end

local function ask(prompt, default, done)
  vim.ui.input({ prompt = prompt, default = default }, function(text)
    if text and vim.trim(text) ~= '' then
      done(text)
    end
  end)
end

---The answers to a story, to choose from.
function M.menu()
  local round = M.round()
  if not round then
    say('No recall yet: select lines and run :Recollect.')
    return
  end
  local choices = {}
  local function choice(label, run)
    choices[#choices + 1] = { label = label, run = run }
  end
  if round.outcome == 'presented' then
    choice("That's it", M.identify)
    choice('Not this', function()
      M.say('Not that one.')
    end)
  end
  choice('Not this, because…', function()
    ask('What is wrong with it? ', 'No, ', M.say)
  end)
  choice('Add to the cue…', function()
    ask('What else do you remember? ', '', M.say)
  end)
  choice('Look elsewhere…', function()
    ask('Where should it look? ', 'Look in ', M.say)
  end)
  if type(round.expansion) == 'table' then
    choice(('Search further: %s (%s)'):format(round.expansion.reach, round.expansion.cost), function()
      M.say('Yes, search there too.')
    end)
  end
  choice('Copy…', M.copy)
  choice('End', M.finish)
  vim.ui.select(choices, {
    prompt = 'Recollect',
    format_item = function(item)
      return item.label
    end,
  }, function(item)
    if item then
      item.run()
    end
  end)
end

---Open a locator, or the citation under the cursor.
function M.open(locator)
  locator = locator or document.link_at_cursor() or document.locator_at_cursor()
  if not locator then
    say('No citation under the cursor.')
    return
  end
  request('open', { locator = locator }, function(target)
    document.open(target.uri, target.range)
  end)
end

---Open the citation under the cursor; where there is none, one that is chosen among those of the document.
function M.open_or_choose()
  local found = vim.api.nvim_buf_get_name(0):match('^anamnesis:') and document.locators() or {}
  if document.locator_at_cursor() or #found == 0 then
    return M.open()
  end
  local round, gists = M.round(), {}
  for _, record in ipairs(round and round.records or {}) do
    gists[tostring(record.n)] = ('%s: %s'):format(record.kind, record.gist)
  end
  vim.ui.select(found, {
    prompt = 'Open a citation',
    format_item = function(link)
      return ('[%s] %s'):format(link.name, gists[link.name] or link.locator:match('^anamnesis:///(%a+)'))
    end,
  }, function(link)
    if link then
      M.open(link.locator)
    end
  end)
end

---The change of one file in a commit, side by side in a tab of its own.
function M.diff(locator)
  locator = locator or document.locator_at_cursor() or vim.api.nvim_buf_get_name(0)
  local client = need_client()
  if client then
    require('anamnesis.diff').show(client, locator, say)
  end
end

---Conversations of the round that can be resumed.
local function handles()
  local round, found, seen = M.round(), {}, {}
  for _, record in ipairs(round and round.records or {}) do
    local handle = record.handle
    if type(handle) == 'string' and not seen[handle] and not handle:find('%c') then
      seen[handle] = true
      found[#found + 1] = record
    end
  end
  return found
end

---Type the command that resumes a conversation into a terminal. It runs when the person presses Enter.
function M.resume()
  local found = handles()
  local function start(record)
    if not record then
      return
    end
    vim.cmd('botright split | enew')
    local job = vim.fn.jobstart({ vim.o.shell }, { term = true })
    vim.defer_fn(function()
      vim.api.nvim_chan_send(job, record.handle)
    end, 300)
    vim.cmd.startinsert()
  end
  if #found == 0 then
    say('No record of this recall can be resumed.')
  elseif #found == 1 then
    start(found[1])
  else
    vim.ui.select(found, {
      prompt = 'Resume',
      format_item = function(record)
        return ('[%d] %s'):format(record.n, record.gist)
      end,
    }, start)
  end
end

---Put the recalled context into the unnamed register and the clipboard.
function M.copy(form)
  if not form then
    vim.ui.select({ 'markdown', 'commit', 'comment' }, { prompt = 'Copy as' }, function(chosen)
      if chosen then
        M.copy(chosen)
      end
    end)
    return
  end
  request('copyContext', { recall = meant(), as = form }, function(result)
    vim.fn.setreg('"', result.text)
    pcall(vim.fn.setreg, '+', result.text)
    say('Copied the recalled context.')
  end)
end

---The story without marks in a buffer of its own, for a screen reader or to be copied.
function M.plain()
  local recall = meant()
  if not recall then
    say('No recall yet: select lines and run :Recollect.')
    return
  end
  request('content', { uri = 'anamnesis:///recall/' .. recall .. '.md', as = 'plain' }, function(result)
    document.open_plain(result.text)
  end)
end

---Choose among the recalls of this session.
function M.recalls()
  request('recalls', vim.empty_dict(), function(listed)
    if #listed == 0 then
      say('No recall yet: select lines and run :Recollect.')
      return
    end
    vim.ui.select(listed, {
      prompt = 'Recalls',
      format_item = function(recall)
        local led = type(recall.leading) == 'string' and ' → ' .. recall.leading or ''
        return ('%s: %s%s'):format(recall.state, recall.meant, led)
      end,
    }, function(recall)
      if recall then
        latest = recall.recall
        document.open('anamnesis:///recall/' .. recall.recall .. '.md', nil, { split = true })
      end
    end)
  end)
end

---What is searched here, as a list.
function M.stores()
  request('stores', vim.empty_dict(), function(listed)
    local lines = {}
    for _, store in ipairs(listed) do
      if store.state ~= 'absent' then
        local count = type(store.records) == 'number' and (', %d records'):format(store.records) or ''
        local note = store.note ~= '' and ' (' .. store.note .. ')' or ''
        lines[#lines + 1] = ('%s: %s%s%s'):format(store.kind, store.state, count, note)
      end
    end
    say(table.concat(lines, '\n'))
  end)
end

return M
