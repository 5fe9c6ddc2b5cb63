import { describe, expect, it } from 'vitest'
import { expandTypes, toExpandedFile } from './expand-types.ts'
import { fileProject } from '../project.test.fixture.ts'

describe('toExpandedFile', () => {
  it('returns a module that extends the registry with sorted routes', () => {
    const routes = [info('POST /agent/b', 'agent'), info('GET /api/a', 'route'), info('/ws/c', 'socket')]
    const expanded = new Map(routes.map(({ route }) => [route, `{ of: '${route}' }`]))
    expect(toExpandedFile(routes, expanded)).toContain(`import type { HasTypes } from '@sdk/protocol'

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/a': HasTypes<{ of: 'GET /api/a' }>
    'POST /agent/b': HasTypes<{ of: 'POST /agent/b' }>
  }
  interface Sockets {
    '/ws/c': HasTypes<{ of: '/ws/c' }>
  }
}
`)
  })
})

describe('expandTypes', () => {
  it('throws if TypeScript is not installed', () => {
    expect(() => expandTypes(fileProject({}).root, [])).toThrow('requires TypeScript, which is not installed')
  })

  it('throws and removes its files if the project does not compile', () => {
    const { root, read } = fileProject(
      {
        'tsconfig.json': '{ "compilerOptions": { "module": "preserve", "strict": true } }',
        'src/sdk-routes.d.ts': `import type {} from '@sdk/protocol'\n\ndeclare module '@sdk/protocol' {\n  interface Routes {}\n}\n`,
      },
      { isInstalled: true },
    )
    expect(() => expandTypes(root, [info('GET /api/gone', 'route')])).toThrow('the project does not compile')
    expect(() => read('.sdk/expand/routes.ts')).toThrow('ENOENT')
  })
})

function info(route: string, kind: 'agent' | 'route' | 'socket') {
  return { route, kind, description: undefined }
}
