import type { ESTree } from 'vite'

/** Comments at the end of a line, and a semicolon before them. */
const LINE_END = /^(;?)((?:[ \t]*\/\*[^\r\n]*?\*\/)*(?:[ \t]*\/\/[^\r\n]*)?)[ \t]*(?=\r?\n|$)/

/** Returns the line break that a source text uses. */
export function lineBreakOf(source: string): string {
  return source.includes('\r\n') ? '\r\n' : '\n'
}

/**
 * Inserts a line after a position. Comments in the rest of the old line stay there, and a semicolon moves to the end of
 * the new line.
 */
export function insertLine(source: string, at: number, line: string): string {
  const rest = source.slice(at)
  const [whole = '', semicolon = '', comments = ''] = LINE_END.exec(rest) ?? []
  return `${source.slice(0, at)}${comments}${lineBreakOf(source)}${line}${semicolon}${rest.slice(whole.length)}`
}

/** Inserts an import after the last import of a program, or at the start. */
export function insertImport(source: string, { body }: ESTree.Program, line: string): string {
  const last = body.findLast((node) => node.type === 'ImportDeclaration')
  return last === undefined ? `${line}${lineBreakOf(source)}${source}` : insertLine(source, last.end, line)
}
