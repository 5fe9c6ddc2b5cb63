import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { addChat } from './add-chat.ts'
import { addToMain } from './edit-page.ts'
import { fileProject, type FileProject } from '../project.test.fixture.ts'

const APP = `import './style.css'

export function App() {
  return (
    <main>
      <h1>Shop</h1>
    </main>
  )
}
`

const ROUTES = `declare module '@sdk/protocol' {
  interface Routes {
    'DELETE /api/v1/categories/:id': 1
    'GET /agent/plan/runs': 1
    'GET /api/v1/categories': 1
    'GET /api/v1/categories/:id': 1
    'PATCH /api/v1/categories/:id': 1
    'POST /agent/daily-report': 1
    'POST /agent/plan': 1
    'POST /api/v1/categories': 1
  }
}
`

/** Creates a project with users, a database and a page. */
function chatProject(files: Readonly<Record<string, string>> = {}): FileProject {
  const project = {
    'src/auth.ts': `export const auth = 1\n`,
    'src/database.ts': `export const database = 1\n`,
    'src/web/index.tsx': '',
    'src/web/App.tsx': APP,
    'src/sdk-routes.d.ts': ROUTES,
    'package.json': '{ "name": "demo", "dependencies": { "zod": "^4.0.0" } }',
  }
  return fileProject({ ...project, ...files }, { isInstalled: true })
}

describe('addChat', () => {
  it('writes a chat with the routes of the project as tools, and shows it on the page', () => {
    const { root, read } = chatProject()
    const added = addChat(root, { name: 'help-desk', node: 20 })
    expect(added).toMatchObject({ route: 'POST /agent/help-desk', missing: [] })
    expect(added.changed).toEqual(['src/web/App.tsx', 'package.json'])
    expect(added.written).toContain('src/web/components/HelpDeskPage.tsx')
    const agent = read('src/agent/help-desk/agent.ts')
    expect(agent).toContain(`const TOOLS = {
  deleteCategory: 'DELETE /api/v1/categories/:id',
  listCategories: 'GET /api/v1/categories',
  callDailyReport: 'POST /agent/daily-report',
  createCategory: 'POST /api/v1/categories',
} as const`)
    expect(agent).toContain(`NEEDS_APPROVAL: ReadonlySet<string> = new Set(['deleteCategory'])`)
    expect(read('src/api/help-desk-messages.ts')).toContain(`table('help_desk_messages', { database })`)
    expect(read('src/api/index.ts')).toContain(`.resource('v1', helpDeskMessages)`)
    expect(read('src/web/App.tsx')).toContain('      <h1>Shop</h1>\n      <HelpDeskPage />\n    </main>')
    const all = added.written.map((file) => read(file)).join('')
    expect(all).not.toMatch(/chat-?name|chat_name/i)
    expect(() => addChat(root, { name: 'help-desk' })).toThrow('already exists: sdk add does not overwrite files')
  })

  it.each([
    [20, '^6.0.319'],
    [22, '^7.0.173'],
  ])('adds the AI SDK for Node %i', (node, version) => {
    const { root, read } = chatProject()
    addChat(root, { name: 'assistant', node })
    expect(JSON.parse(read('package.json'))).toMatchObject({ dependencies: { ai: version, zod: '^4.0.0' } })
    expect(JSON.parse(read('package.json'))).toHaveProperty(['dependencies', '@ai-sdk/react'])
  })

  it('returns a further step if the page has no <main>', () => {
    const { root, read } = chatProject({ 'src/web/App.tsx': 'export const App = () => null\n' })
    const { next, changed } = addChat(root, { name: 'assistant' })
    expect(next?.[0]).toContain('show <AssistantPage /> of src/web/components/AssistantPage.tsx on a page')
    expect(changed).not.toContain('src/web/App.tsx')
    expect(read('src/web/App.tsx')).toBe('export const App = () => null\n')
  })

  it.each([
    ['src/database.ts', 'src/database.ts does not export database'],
    ['src/auth.ts', 'src/auth.ts does not export auth'],
  ])('throws and writes nothing without %s', (file, message) => {
    const { root, read } = chatProject({ [file]: '' })
    expect(() => addChat(root, { name: 'assistant' })).toThrow(message)
    expect(() => read('src/agent/assistant/agent.ts')).toThrow('ENOENT')
  })

  it('throws without the packages that it imports, and for an invalid name', () => {
    expect(() => addChat(fileProject({}).root, { name: 'assistant' })).toThrow('which is not installed')
    expect(() => addChat(chatProject().root, { name: '../x' })).toThrow('the name of an agent')
  })
})

describe('the assistant of the showcase', () => {
  const showcase = new URL('../../../../examples/tasks/', import.meta.url)
  const readShowcase = (file: string): string => readFileSync(new URL(file, showcase), 'utf8')
  // The showcase has routes that its assistant does not offer to the model.
  const routes = ['GET /api/v1/tasks', 'POST /api/v1/tasks', 'DELETE /api/v1/tasks/:id']
  const { root, read } = chatProject({ 'src/sdk-routes.d.ts': routes.map((route) => `    '${route}': 1\n`).join('') })
  const { written } = addChat(root, { name: 'assistant' })

  it.each(written.filter((file) => !/(?:agent|api\/index)\.ts$|Page\.tsx$/.test(file)))(
    'has the file %s that sdk add chat writes',
    (file) => {
      expect(readShowcase(file)).toBe(read(file))
    },
  )

  it('differs in its comment, and in the classes of its style sheet', () => {
    const agent = 'src/agent/assistant/agent.ts'
    expect(readShowcase(agent).replace(/^\/\*\*[^]*?\*\/\n/, '')).toBe(read(agent))
    const page = 'src/web/components/AssistantPage.tsx'
    const withClasses = (text: string): string => text.replaceAll(/className="[^"]*"/g, 'className')
    expect(withClasses(readShowcase(page))).toBe(withClasses(read(page)))
  })
})

describe('addToMain', () => {
  it('keeps Windows line breaks and comments', () => {
    const source = `import { B } from './b.tsx' // b\r\nconst App = () => (\r\n  <main>\r\n    <B />\r\n  </main>\r\n)\r\n`
    const edited = addToMain(source, { component: 'Chat', from: './chat.tsx' })
    expect(edited?.split('\r\n').slice(0, 6)).toEqual([
      `import { B } from './b.tsx' // b`,
      `import { Chat } from './chat.tsx'`,
      `const App = () => (`,
      `  <main>`,
      `    <B />`,
      `    <Chat />`,
    ])
  })

  it.each([
    ['two of them', 'const App = () => <p><main></main><main></main></p>'],
    ['one of another component', 'const Splash = () => <main></main>'],
    ['an import of the same name', `import { Chat } from './chat.tsx'\nconst App = () => <main></main>`],
    ['a file that does not parse', '<main>'],
  ])('does not edit %s', (_, source) => {
    expect(addToMain(source, { component: 'Chat', from: './chat.tsx' })).toBeNull()
  })
})
