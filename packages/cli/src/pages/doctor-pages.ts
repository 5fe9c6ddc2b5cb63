import type { DOCTOR_CODES } from '../codes.ts'
import type { ExplainPage } from './page.ts'

/** Codes that only `sdk doctor` reports. */
export const DOCTOR_PAGES: Readonly<Record<(typeof DOCTOR_CODES)[number], ExplainPage>> = {
  NODE_TOO_OLD: {
    means: 'Node is older than 20.19.',
    why: 'The bundler and the SDK use what older versions lack.',
    fix: 'Install a newer Node from https://nodejs.org or with your version manager.',
    example: 'nvm install 22 && node --version',
  },
  DUPLICATE_PACKAGE: {
    means: 'A package is installed more than once.',
    why: 'Two packages need different versions of it. With two Reacts, hooks throw; two copies of @sdk packages share no state.',
    fix: 'Find which package needs which version, agree on one, and let npm dedupe them.',
    example: 'npm ls react\nnpm dedupe',
  },
  VERSIONS_DIFFER: {
    means: 'The @sdk packages have different versions.',
    why: 'Some were updated and others not. They are released and tested together.',
    fix: 'Install all of them in the same version.',
    example: 'npm install @sdk/server@latest @sdk/react@latest @sdk/cli@latest',
  },
  WEB_MISSING: {
    means: 'There is no web app where one is expected.',
    why: 'src/web has no index.tsx and no index.html, or @sdk/react is installed without src/web.',
    fix: 'Write src/web/index.tsx. Without a web app, remove @sdk/react.',
    example: `createRoot(document.getElementById('root')!).render(<SdkProvider><App /></SdkProvider>)`,
  },
  PROVIDER_MISSING: {
    means: 'A hook of the SDK is used outside of its provider.',
    why: 'useAPI, usePages and useWebsocket need SdkProvider; useAuth needs AuthProvider. Which one is outside does not matter.',
    fix: 'Wrap the app in src/web/index.tsx.',
    example: '<AuthProvider>\n  <SdkProvider>\n    <App />\n  </SdkProvider>\n</AuthProvider>',
  },
  TSCONFIG_MISSING: {
    means: 'There is no tsconfig.json.',
    why: 'Editors and tsc then guess, and find neither the SDK nor the types of routes.',
    fix: 'Take the one that npm create @sdk writes.',
    example: `{ "compilerOptions": { "module": "preserve", "strict": true, "jsx": "react-jsx", "allowImportingTsExtensions": true, "noEmit": true }, "include": ["src"] }`,
  },
  TSCONFIG_OPTION: {
    means: 'TypeScript and Vite read the project differently.',
    why: 'An option of tsconfig.json is missing or different.',
    fix: 'Set it; sdk doctor --fix does so where the file has no comments.',
    example: `"compilerOptions": { "strict": true, "moduleResolution": "bundler" }`,
  },
  ROUTE_TYPES_STALE: {
    means: 'src/sdk-routes.d.ts is missing or out of date.',
    why: 'Routes changed while neither sdk dev nor sdk build ran, as after a merge.',
    fix: 'Write it again, and keep it in git.',
    example: 'sdk types',
  },
  SDK_NOT_IGNORED: {
    means: 'git does not ignore .sdk.',
    why: 'It holds the database and the secrets of development, which must not be published.',
    fix: 'Add a line to .gitignore; git rm -r --cached .sdk takes out what was committed.',
    example: `echo '.sdk/' >> .gitignore`,
  },
  AUTH_SECRET_MISSING: {
    means: 'AUTH_SECRET is not set, which production needs.',
    why: 'Sessions are signed with it. In development one is made in .sdk.',
    fix: 'Set it where the server runs, to the same value in every process.',
    example: 'AUTH_SECRET=$(openssl rand -base64 32)',
  },
  AUTH_SECRET_WEAK: {
    means: 'AUTH_SECRET can be guessed.',
    why: 'It is shorter than 32 characters.',
    fix: 'Make a random one. This signs everybody out.',
    example: 'AUTH_SECRET=$(openssl rand -base64 32)',
  },
  AUTH_URL_MISSING: {
    means: 'AUTH_URL is not set, which production needs.',
    why: 'Links in mails must not depend on what a caller claims as the host.',
    fix: 'Set it to the origin that users see.',
    example: 'AUTH_URL=https://app.example.com',
  },
  DATABASE_URL_MISSING: {
    means: 'DATABASE_URL is not set, which production needs.',
    why: 'The embedded database is for one process, and is never chosen silently there.',
    fix: 'Name a PostgreSQL, or ask for the embedded one.',
    example: 'DATABASE_URL=postgres://user:password@host:5432/name\nDATABASE_URL=pglite://.sdk/data',
  },
  DATABASE_URL_INVALID: {
    means: 'DATABASE_URL is not the URL of a database.',
    why: 'Its scheme is neither postgres nor pglite, or a character of the password is not encoded.',
    fix: 'Write @ as %40, / as %2F and : as %3A in user and password.',
    example: 'DATABASE_URL=postgres://user:p%40ss@host:5432/name',
  },
  DATABASE_UNREACHABLE: {
    means: 'Nothing answers where DATABASE_URL points.',
    why: 'PostgreSQL is not running there, or a firewall is between.',
    fix: 'Start it, correct host and port, or unset DATABASE_URL to use the embedded database.',
    example: 'psql "$DATABASE_URL" -c "select 1"',
  },
  REDIS_NOT_INSTALLED: {
    means: 'REDIS_URL is set, but @sdk/redis is not installed.',
    why: 'Then every process keeps rooms, limits and streams to itself.',
    fix: 'Install it, or unset REDIS_URL.',
    example: 'npm install @sdk/redis',
  },
  REDIS_UNREACHABLE: {
    means: 'Nothing answers where REDIS_URL points.',
    why: 'Redis is not running there, or a firewall is between.',
    fix: 'Start it, or correct host and port.',
    example: 'redis-cli -u "$REDIS_URL" ping',
  },
  ROLLDOWN_UNPINNED: {
    means: 'This version of the bundler lacks the binary for some platforms.',
    why: 'rolldown 1.2.19 has none for Linux on ARM.',
    fix: 'Pin the version before it in package.json, then npm install.',
    example: '"overrides": { "rolldown": "1.2.18" }',
  },
}
