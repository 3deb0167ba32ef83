-- One file's change in one commit, side by side: the file at the commit, and the same with the change taken back.
local M = {}

local function text(client, uri)
  local answer = client:request_sync('anamnesis/content', { uri = uri }, 20000)
  return answer and answer.result and answer.result.text
end

---The lines before a change. `after`: lines of the file at the commit; `diff`: its unified diff.
function M.before(after, diff)
  local result, next_line, removed, hunk_new = {}, 1, {}, 0
  local function copy_until(line)
    while next_line < line and next_line <= #after do
      result[#result + 1] = after[next_line]
      next_line = next_line + 1
    end
  end
  local in_hunk = false
  for _, line in ipairs(diff) do
    local start, count = line:match('^@@ %-%d+,?%d* %+(%d+),?(%d*) @@')
    if start then
      in_hunk = true
      start, count = tonumber(start), tonumber(count ~= '' and count or '1')
      copy_until(count == 0 and start + 1 or start)
    elseif in_hunk then
      local mark = line:sub(1, 1)
      if mark == '-' then
        result[#result + 1] = line:sub(2)
      elseif mark == '+' then
        next_line = next_line + 1
      elseif mark == ' ' then
        result[#result + 1] = after[next_line] or line:sub(2)
        next_line = next_line + 1
      end
    end
  end
  copy_until(#after + 1)
  return result
end

local function lines_of(value)
  local lines = vim.split(value, '\n', { plain = true })
  if lines[#lines] == '' then
    table.remove(lines)
  end
  return lines
end

local function scratch(lines, name, filetype)
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].modeline, vim.bo[buffer].buftype, vim.bo[buffer].swapfile = false, 'nofile', false
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  pcall(vim.api.nvim_buf_set_name, buffer, name)
  vim.bo[buffer].filetype = filetype
  vim.cmd('diffthis')
end

---Show the change that a locator (a commit with a path, a diff, or a file) names.
function M.show(client, locator, say)
  local root, hash, path = locator:match('^anamnesis:///commit/(%x+)/(%x+)%.md%?path=([^&]+)')
  if not root then
    root, hash, path = locator:match('^anamnesis:///%a+/(%x+)/(%x+)/([^?]+)')
  end
  if not root or not path then
    say('This names no change of one file: put the cursor on a commit of a story, or on a diff.')
    return
  end
  local diff = text(client, ('anamnesis:///diff/%s/%s/%s'):format(root, hash, path))
  if not diff then
    say('The change could not be opened.')
    return
  end
  local after = lines_of(text(client, ('anamnesis:///file/%s/%s/%s'):format(root, hash, path)) or '')
  local name = vim.uri_decode(path)
  local filetype = vim.filetype.match({ filename = name }) or ''
  local short = hash:sub(1, 9)
  vim.cmd('tabnew')
  scratch(M.before(after, lines_of(diff)), ('before %s: %s'):format(short, name), filetype)
  vim.cmd('rightbelow vnew')
  scratch(after, ('%s: %s'):format(short, name), filetype)
end

return M
