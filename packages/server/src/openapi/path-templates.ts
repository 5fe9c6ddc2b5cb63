/** A path as OpenAPI writes it, and the names in it, in order. */
export interface PathTemplate {
  readonly path: string
  readonly names: readonly string[]
}

/**
 * Turns `/tasks/:id` into `/tasks/{id}`. Two paths that differ in the names only are one path to OpenAPI, so the
 * first one's names hold for both.
 */
export function createPathTemplates(): (path: string) => PathTemplate {
  const known = new Map<string, PathTemplate>()
  return (path) => {
    const shape = path.replaceAll(/:\w+/g, ':')
    const template = known.get(shape) ?? toTemplate(path)
    known.set(shape, template)
    return template
  }
}

function toTemplate(path: string): PathTemplate {
  const literal = path.replaceAll('{', '%7B').replaceAll('}', '%7D')
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name)
  return { path: literal.replaceAll(/:(\w+)/g, '{$1}'), names }
}
