/** A path in OpenAPI syntax and its parameter names, in order. */
export interface PathTemplate {
  readonly path: string
  readonly names: readonly string[]
}

/**
 * Creates a converter from `/tasks/:id` to `/tasks/{id}`. Paths that differ only in parameter names are the same path
 * in OpenAPI, so all of them use the names from the first one.
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
