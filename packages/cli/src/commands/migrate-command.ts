import type { Command } from './command.ts'
import { findProject } from '../discover.ts'
import { EXIT } from '../failure.ts'
import { loadOrFail } from '../load/load-once.ts'
import { formatPlan } from '../migrate/format-plan.ts'
import { isPending, planProject } from '../migrate/project-plan.ts'
import { assertDatabaseExists, databaseUrl } from '../sql/query-database.ts'

/** The `sdk migrate` command. */
export const migrateCommand: Command = {
  summary: 'prints the SQL that brings the database in line with the schemas',
  mode: 'development',
  options: {
    check: { summary: `exits with ${EXIT.pending} if changes are pending, for CI` },
    json: { summary: 'prints the plan as JSON' },
  },
  examples: ['sdk migrate', 'DATABASE_URL=postgres://… sdk migrate --check'],
  async run({ cwd, terminal, has }) {
    const project = findProject(cwd)
    assertDatabaseExists(project.root, databaseUrl())
    const { router } = await loadOrFail(project, terminal)
    const plan = await planProject(router)
    if (has('json')) terminal.out(JSON.stringify(plan, null, 2))
    else for (const line of formatPlan(plan)) terminal.out(line)
    return has('check') && isPending(plan) ? EXIT.pending : EXIT.ok
  },
}
