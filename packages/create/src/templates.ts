import { fileURLToPath } from 'node:url'
import { EXIT_CODES, CreateFailure } from './failure.ts'

/** The templates, each with a summary and the folders in `template/` that it consists of. */
const TEMPLATES = {
  default: { summary: 'an agent, an API, users and a web page', folders: ['common', 'deploy', 'default'] },
  minimal: { summary: 'one agent and one page', folders: ['common', 'minimal'] },
  'api-only': { summary: 'agents and an API, without a web page', folders: ['common', 'deploy', 'api-only'] },
} as const

/** The name of a template. */
export type TemplateName = keyof typeof TEMPLATES

/** All templates with their summaries. */
export const templates: readonly { readonly name: TemplateName; readonly summary: string }[] = Object.entries(
  TEMPLATES,
).map(([name, { summary }]) => ({ name: name as TemplateName, summary }))

/** Returns the folders of a template. */
export function foldersOf(template: TemplateName): string[] {
  return TEMPLATES[template].folders.map((folder) => fileURLToPath(new URL(`../template/${folder}`, import.meta.url)))
}

/** Parses the user's choice of a template: its name, a unique prefix of its name, or its number in the list. */
export function parseTemplate(text: string): TemplateName {
  const wanted = text.trim().toLowerCase()
  const found = templates.find(({ name }, index) => name === wanted || String(index + 1) === wanted)
  const near = wanted === '' ? [] : templates.filter(({ name }) => name.startsWith(wanted))
  const template = found ?? (near.length === 1 ? near[0] : undefined)
  if (template !== undefined) return template.name
  const names = templates.map(({ name }) => name).join(', ')
  throw new CreateFailure(`unknown template ${JSON.stringify(text)}`, {
    fix: `choose one of: ${names}`,
    exitCode: EXIT_CODES.usage,
  })
}
