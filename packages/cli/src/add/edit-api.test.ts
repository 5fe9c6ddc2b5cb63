import { describe, expect, it } from 'vitest'
import { addRegistration, toRegistrationLines } from './edit-api.ts'

const hook = { variable: 'tasks', from: './tasks.ts', call: `.resource('v1', tasks)` }

describe('addRegistration', () => {
  it('adds the call at the end of the chain and the import after the last import', () => {
    const source = `// é😀\nimport { createRouter } from '@sdk/server'\nimport { a } from './a.ts'\n\nexport default createRouter()\n  .use('/api/*', a)\n  .on('GET /api/x', (ctx: unknown) => ({ ctx }))\n`
    expect(addRegistration(source, hook)).toBe(
      `// é😀\nimport { createRouter } from '@sdk/server'\nimport { a } from './a.ts'\nimport { tasks } from './tasks.ts'\n\nexport default createRouter()\n  .use('/api/*', a)\n  .on('GET /api/x', (ctx: unknown) => ({ ctx }))\n  .resource('v1', tasks)\n`,
    )
  })

  it('keeps a semicolon, comments and Windows line breaks', () => {
    const source = [
      `import { createRouter } from '@sdk/server'; // the router`,
      `export default createRouter().on('GET /api/x', f); /* x */ // end`,
      ``,
    ].join('\r\n')
    expect(addRegistration(source, hook)?.split('\r\n')).toEqual([
      `import { createRouter } from '@sdk/server'; // the router`,
      `import { tasks } from './tasks.ts'`,
      `export default createRouter().on('GET /api/x', f) /* x */ // end`,
      `  .resource('v1', tasks);`,
      ``,
    ])
  })

  it('keeps other code in the line', () => {
    const source = `import { createRouter } from '@sdk/server'\nconst api = createRouter(), other = 1 // two\nexport default api\n`
    expect(addRegistration(source, hook)).toContain(`createRouter()\n  .resource('v1', tasks), other = 1 // two`)
  })

  it('finds a router that is assigned to a variable', () => {
    const source = `import { createRouter } from '@sdk/server'\nconst api = createRouter().on('GET /api/x', f)\nexport default api\n`
    expect(addRegistration(source, hook)).toContain(
      `.on('GET /api/x', f)\n  .resource('v1', tasks)\nexport default api`,
    )
  })

  it.each([
    ['a file without a call of createRouter()', `import { api } from './other.ts'\nexport default api\n`],
    ['a router that is passed to a function', `export default withAuth(createRouter())\n`],
    ['a file without a default export', `export const router = createRouter()\n`],
    ['a file whose import uses the name', `import { tasks } from 'x'\nexport default createRouter()\n`],
    ['a file whose variable uses the name', `export const tasks = 1\nexport default createRouter()\n`],
    ['a file whose function uses the name', `function tasks() {}\nexport default createRouter()\n`],
    ['a file that does not parse', `export default createRouter(\n`],
  ])('does not edit %s', (_, source) => {
    expect(addRegistration(source, hook)).toBeNull()
  })
})

describe('toRegistrationLines', () => {
  it('returns the lines to add by hand', () => {
    expect(toRegistrationLines(hook)).toEqual([`import { tasks } from './tasks.ts'`, `.resource('v1', tasks)`])
  })
})
