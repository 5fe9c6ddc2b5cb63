import { parseSync } from 'vite'
import { insertImport, lineBreakOf } from './source-lines.ts'

const IS_APP = /^(?:export )?(?:default )?(?:function|const) App\b/

/** A component to show on a page. */
export interface ShownComponent {
  readonly component: string
  /** The import path, relative to the page. */
  readonly from: string
}

/**
 * Adds a component as the last child of the only `<main>` of `App`, and its import. Returns null if that is impossible.
 */
export function addToMain(source: string, { component, from }: ShownComponent): string | null {
  const { program, errors } = parseSync('App.tsx', source)
  const ends = findMainEnds(program.body.filter(({ start, end }) => IS_APP.test(source.slice(start, end))))
  const [end] = ends
  if (errors.length > 0 || ends.length !== 1 || end === undefined || source.includes(component)) return null
  const [indent = ''] = /(?<=\n)[ \t]*$/.exec(source.slice(0, end)) ?? []
  const edited = `${source.slice(0, end)}  <${component} />${lineBreakOf(source)}${indent}${source.slice(end)}`
  return insertImport(edited, program, `import { ${component} } from '${from}'`)
}

/** Returns the positions of all `</main>` in a syntax tree. */
function findMainEnds(node: unknown): number[] {
  if (typeof node !== 'object' || node === null) return []
  const { type, name, start } = node as { type?: string; name?: { name?: string }; start?: number }
  if (type === 'JSXClosingElement' && name?.name === 'main' && start !== undefined) return [start]
  return Object.values(node).flatMap(findMainEnds)
}
