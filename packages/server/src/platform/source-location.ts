/** Where in the user's code a definition stands, such as `src/api/index.ts:12:4`; empty where that cannot be told. */
export interface SourceLocation {
  /** Read from the stack when somebody asks: with source maps that takes longer than all the rest of a definition. */
  toString(): string
}

/** The place of the call before the last one: called by the function that the user calls. */
export function captureLocation(): SourceLocation {
  const mark = new Error('where')
  return { toString: () => parseLocation(mark) }
}

/** ` (defined at src/api/index.ts:12:4)`, for the end of a sentence; empty where it is not known. */
export function describeLocation({ at }: { readonly at?: SourceLocation | undefined }): string {
  const place = at?.toString() ?? ''
  return place === '' ? '' : ` (defined at ${place})`
}

function parseLocation({ stack }: Error): string {
  const [, , , caller = ''] = stack?.split('\n') ?? []
  const place = /(?:\(|at )((?:file:\/\/|\/|[A-Z]:\\)[^()]+:\d+:\d+)\)?$/.exec(caller)?.[1]
  return place === undefined ? '' : toRelativePath(place.replace(/^file:\/\//, ''))
}

function toRelativePath(place: string): string {
  const { process } = globalThis as { process?: { cwd?(): string } }
  const folder = `${process?.cwd?.() ?? ''}/`
  return place.startsWith(folder) ? place.slice(folder.length) : place
}
