/** The location of a definition in the user's code, such as `src/api/index.ts:12:4`, or empty if it is unknown. */
export interface SourceLocation {
  /** Returns the location. The stack is read lazily, because source maps make reading it slow. */
  toString(): string
}

/** Captures the location of the caller's caller. Must be called directly by the function that the user calls. */
export function captureLocation(): SourceLocation {
  const mark = new Error('where')
  return { toString: () => parseLocation(mark) }
}

/** Returns ` (defined at src/api/index.ts:12:4)` to append to a message, or `''` if the location is unknown. */
export function describeLocation({ at }: { readonly at?: SourceLocation | undefined }): string {
  const place = at?.toString() ?? ''
  return place === '' ? '' : ` (defined at ${place})`
}

function parseLocation({ stack }: Error): string {
  const [, , , caller = ''] = stack?.split('\n') ?? []
  const place = /(?:\(|at )((?:file:\/\/|\/|[A-Z]:\\)[^<]+:\d+:\d+)\)?$/.exec(caller)?.[1]
  return place === undefined ? '' : toRelativePath(place.replace(/^file:\/\//, ''))
}

function toRelativePath(place: string): string {
  const { process } = globalThis as { process?: { cwd?(): string } }
  const folder = `${process?.cwd?.() ?? ''}/`
  // Node and Vite encode spaces in paths.
  const path = folder.includes(' ') ? place.replaceAll('%20', ' ') : place
  return path.startsWith(folder) ? path.slice(folder.length) : path
}
