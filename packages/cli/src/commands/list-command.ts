import type { Command } from './command.ts'
import { findProject } from '../discover.ts'
import { loadOrFail } from '../load/load-once.ts'
import { toTable } from '../terminal.ts'

/** The `sdk list` command. */
export const listCommand: Command = {
  summary: 'lists all agents, routes and sockets',
  mode: 'development',
  options: { json: { summary: 'prints the list as JSON' } },
  examples: ['sdk list', "sdk list --json | jq '.[].route'"],
  async run({ cwd, terminal, has }) {
    const { app } = await loadOrFail(findProject(cwd), terminal)
    if (has('json')) return terminal.out(JSON.stringify(app.routes, null, 2))
    const rows = app.routes.map(({ route, kind, description = '' }) => [kind, route, description])
    for (const line of toTable(rows)) terminal.out(line)
  },
}
