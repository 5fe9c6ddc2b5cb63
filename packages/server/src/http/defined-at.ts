/**
 * Where in the user's code a definition stands, such as `src/api/index.ts:12:4`; empty where that cannot be told.
 * Called by the function that the user calls.
 */
export function definedAt(): string {
  const [, , , caller = ''] = new Error('where').stack?.split('\n') ?? []
  const place = /(?:\(|at )((?:file:\/\/|\/|[A-Z]:\\)[^()]+:\d+:\d+)\)?$/.exec(caller)?.[1]
  return place === undefined ? '' : toShort(place.replace(/^file:\/\//, ''))
}

/** ` (defined at src/api/index.ts:12:4)`, for the end of a sentence; empty where it is not known. */
export function placeOf({ at }: { readonly at?: string | undefined }): string {
  return at === undefined || at === '' ? '' : ` (defined at ${at})`
}

function toShort(place: string): string {
  const { process } = globalThis as { process?: { cwd?(): string } }
  const folder = `${process?.cwd?.() ?? ''}/`
  return place.startsWith(folder) ? place.slice(folder.length) : place
}
