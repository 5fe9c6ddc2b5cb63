import { addChat } from '../add/add-chat.ts'
import { add, ADDABLE_KINDS, addMcp, type AddResult } from '../add/add.ts'
import type { AddableKind } from '../add/templates.ts'
import type { Command } from './command.ts'
import { findRoot, findRootToExtend } from '../discover.ts'
import { usageFailure } from '../failure.ts'
import { didYouMean } from '../closest-match.ts'
import { managerCommands } from '../package-manager.ts'

const NAME_SUMMARY = 'the name, such as daily-report; for a resource, a plural noun such as tasks; none for mcp'

/** The `sdk add` command. */
export const addCommand: Command = {
  summary: 'adds an agent, a route, a socket, a resource, a chat or MCP',
  args: [
    { name: 'kind', summary: 'agent, route, socket, resource, chat or mcp' },
    { name: 'name', summary: NAME_SUMMARY, isOptional: true },
  ],
  options: {
    'belongs-to': {
      value: 'resource',
      summary: 'for a resource: adds a field that references a row of the given resource',
    },
    json: { summary: 'prints the written files as JSON' },
  },
  examples: [
    'sdk add agent summarize',
    'sdk add resource tasks',
    'sdk add resource comments --belongs-to tasks',
    'sdk add route reports',
    'sdk add socket chat',
    'sdk add chat assistant',
    'sdk add mcp',
  ],
  async run({ cwd, terminal: { out, paint }, args, has, text }) {
    const [given = '', name] = args
    const kind = parseKind(given)
    const belongsTo = text('belongs-to')
    if (belongsTo !== undefined && kind !== 'resource')
      throw usageFailure(`--belongs-to is only for resources, got ${JSON.stringify(kind)}`, 'sdk add --help')
    const added = addModule(cwd, kind, { name, belongsTo })
    if (has('json')) return out(JSON.stringify(added, null, 2))
    for (const file of added.written) out(`${paint.green('+')} ${file}`)
    for (const file of added.changed) out(`${paint.yellow('~')} ${file}`)
    if (added.missing.length > 0) {
      out(`${paint.yellow('!')} src/api/index.ts could not be edited safely. Add these lines to it:`)
      for (const line of added.missing) out(`    ${line}`)
    }
    if (added.changed.includes('package.json'))
      out(paint.dim(`  run ${managerCommands(findRoot(cwd)).install} to install the new packages`))
    for (const step of added.next ?? []) out(paint.dim(`  ${step}`))
    out(paint.dim(`  ${added.route} ${added.missing.length > 0 ? 'is then available' : 'is available'} in sdk dev`))
  },
}

function addModule(
  cwd: string,
  kind: AddableKind,
  { name, belongsTo }: Record<'name' | 'belongsTo', string | undefined>,
): AddResult {
  if (kind === 'mcp') {
    if (name !== undefined) throw usageFailure(`sdk add mcp has no name, got ${JSON.stringify(name)}`, 'sdk add mcp')
    return addMcp(findRootToExtend(cwd))
  }
  if (name === undefined) throw usageFailure(`sdk add requires name: ${NAME_SUMMARY}`, `sdk add ${kind} <name>`)
  if (kind === 'chat') return addChat(findRootToExtend(cwd), { name })
  return add(findRootToExtend(cwd), kind, { name, belongsTo })
}

function parseKind(kind: string): AddableKind {
  if (isAddableKind(kind)) return kind
  const fix = didYouMean(kind, ADDABLE_KINDS, 'sdk add ') ?? 'sdk add --help'
  throw usageFailure(`kind must be one of ${ADDABLE_KINDS.join(', ')}, got ${JSON.stringify(kind)}`, fix)
}

function isAddableKind(kind: string): kind is AddableKind {
  return ADDABLE_KINDS.includes(kind)
}
