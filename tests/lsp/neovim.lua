-- Asks a server at a place by Neovim's own client; writes the answers as JSON.
local env, out = vim.env, {}
vim.cmd("edit " .. env.ASK_FILE)
local folder = { uri = vim.uri_from_fname(env.ASK_ROOT), name = "root" }
local id = vim.lsp.start_client({
  cmd = vim.json.decode(env.ASK_COMMAND),
  root_dir = env.ASK_ROOT,
  workspace_folders = { folder },
})
vim.lsp.buf_attach_client(0, id)
vim.wait(60000, function() return (vim.lsp.get_client_by_id(id) or {}).initialized end, 20)
local client = vim.lsp.get_client_by_id(id)
local place = {
  textDocument = { uri = vim.uri_from_bufnr(0) },
  position = { line = tonumber(env.ASK_LINE), character = tonumber(env.ASK_COLUMN) },
  context = { includeDeclaration = false },
}
for _, method in ipairs({ "textDocument/definition", "textDocument/references" }) do
  out[method] = client.request_sync(method, place, 60000, 0).result
end
local file = io.open(env.ASK_OUT, "w")
file:write(vim.json.encode(out))
file:close()
vim.lsp.stop_client(id)
vim.cmd("qa!")
