import type { COMMAND_CODES } from '../codes.ts'
import type { ExplainPage } from './page.ts'

/** Pages for a wrong command line or a wrong project. */
export const COMMAND_PAGES: Readonly<Record<(typeof COMMAND_CODES)[number], ExplainPage>> = {
  USAGE: {
    means: 'There is no such command, option or argument. The exit code is 2.',
    why: 'A name is misspelt, or a value is missing.',
    fix: 'sdk --help lists the commands, sdk <command> --help its options.',
    example: 'sdk dev --help',
  },
  NO_PROJECT: {
    means: 'There is no package.json in this folder or above.',
    why: 'The command was called outside of a project.',
    fix: 'Go to your project, or make one.',
    example: 'npm create @sdk my-app',
  },
  INVALID_PACKAGE_JSON: {
    means: 'The package.json of the project is not valid JSON.',
    why: 'A comma is missing or too many, or a merge left its marks.',
    fix: 'Correct it where the message says.',
    example: 'node -p "require(\'./package.json\').name"',
  },
  NOTHING_TO_RUN: {
    means: 'The project has neither an agent, nor an API, nor a web app.',
    why: 'Files are found by their place: src/agent/<name>/index.ts, src/api/index.ts, src/web/index.tsx.',
    fix: 'Add one of them, or move what you have there.',
    example: 'sdk add agent hello',
  },
  NO_BUILD: {
    means: 'sdk start found no dist/server/index.js.',
    why: 'sdk build has not run here, or dist was deleted.',
    fix: 'Build first. In a container, copy dist.',
    example: 'sdk build && sdk start',
  },
  LOAD_FAILED: {
    means: 'A file of the project does not load, so its routes cannot answer.',
    why: 'A syntax error, a missing import, a wrong default export, or code that throws while it is loaded.',
    fix: 'Correct the line that the code frame marks; sdk dev loads it again by itself. The rest works meanwhile.',
    example: `export default createAgent('summarize', { handler: (ctx, input) => input })`,
  },
  INVALID_CONFIG: {
    means: 'sdk.config.ts does not load, or has an unknown setting.',
    why: 'A misspelt setting would silently do nothing, so it is refused.',
    fix: 'Correct it; defineConfig lets the editor complete the names.',
    example: `import { defineConfig } from '@sdk/cli'\n\nexport default defineConfig({ port: 4000 })`,
  },
  INVALID_ENV_FILE: {
    means: 'A line of an env file, such as .env or .env.local, is not NAME=value.',
    why: 'Ignoring the line would silently drop a setting. The message does not show it, as it may be a secret.',
    fix: 'Correct the line. Put values with # or line breaks in quotes. $NAME is not replaced by a value.',
    example: `# the address of the database\nDATABASE_URL=postgres://localhost/app\nGREETING="hello # there"`,
  },
  INVALID_PORT: {
    means: 'The port is not a number from 0 to 65535.',
    why: '--port, PORT or port in sdk.config.ts is misspelt. 0 takes any free one.',
    fix: 'Give a number.',
    example: 'PORT=4000 sdk dev',
  },
  PORT_TAKEN: {
    means: 'Another process listens on the port already.',
    why: 'Another server runs, often one of your own in another terminal.',
    fix: 'Stop it, or choose another port. sdk dev takes the next free one by itself; sdk start does not.',
    example: 'lsof -i :3000\nPORT=4000 sdk start',
  },
  CANNOT_LISTEN: {
    means: 'The server cannot listen at this address.',
    why: 'The address is not one of this machine, or the port is below 1024 and needs more rights.',
    fix: 'Choose another address or port. 0.0.0.0 is every address of the machine.',
    example: 'HOST=0.0.0.0 PORT=4000 sdk start',
  },
  INVALID_ENVIRONMENT: {
    means: 'The server does not start, because variables of the environment are missing or cannot be used.',
    why: 'Production chooses neither a database nor a secret by itself. All of them are named at once.',
    fix: 'Set them where the server is started, or in .env.production.local, which sdk start reads.',
    example:
      'DATABASE_URL=postgres://user:password@host:5432/name\nAUTH_URL=https://app.example.com\nAUTH_SECRET=$(openssl rand -base64 32)',
  },
  SYSTEM_REFUSED: {
    means: 'The system did not let the command read or write a file.',
    why: 'The file belongs to another user, the disk is full or read-only, or too many files are open.',
    fix: 'The message says which file, and what to do.',
    example: 'ls -l src\ndf -h .',
  },
  NO_DATABASE: {
    means: 'sdk sql found no database to look into.',
    why: 'Nothing was stored yet, or the database is in the memory of another process.',
    fix: 'Start sdk dev and call a route that stores something. A DATABASE_URL of PostgreSQL works, too.',
    example: 'sdk dev',
  },
  SQL_FAILED: {
    means: 'The database refused a statement of sdk sql.',
    why: 'It is misspelt, names a table that does not exist, is more than one statement, or writes without --write.',
    fix: 'Correct it. Put names with capitals in double quotes.',
    example: 'sdk sql "select * from notes limit 5"',
  },
  INVALID_NAME: {
    means: 'sdk add cannot use this name.',
    why: 'It becomes a path and a variable, so it has letters, digits and, except for resources, "-".',
    fix: 'Choose a name like summarize, daily-report or, for a resource, tasks.',
    example: 'sdk add resource tasks',
  },
  FILE_EXISTS: {
    means: 'sdk add found the file it wanted to write.',
    why: 'sdk add never overwrites a file.',
    fix: 'Choose another name, or move the file away.',
    example: 'sdk add agent summarize-mail',
  },
  PACKAGE_MISSING: {
    means: 'A package is needed and not installed.',
    why: 'It is in package.json, but npm install has not run since; or it is not in package.json.',
    fix: 'Install it.',
    example: 'npm install',
  },
  INVALID_INPUT: {
    means: 'The input of sdk run is not valid JSON, or its file cannot be read.',
    why: 'The shell removes double quotes, unless the JSON is in single quotes.',
    fix: 'Quote it, put it in a file, or pipe it in.',
    example: `sdk run summarize '{"text":"One. Two."}'\nsdk run summarize @input.json`,
  },
  UNKNOWN_USER: {
    means: 'sdk run --as names a user that the project does not know.',
    why: 'Users are those of the database that the project runs on, by their e-mail address.',
    fix: 'Sign up in the app first.',
    example: 'sdk run brief --as ada@example.com',
  },
  NO_SERVER: {
    means: 'Nothing answers at the address, or the connection was cut.',
    why: 'The server is not running, or listens elsewhere.',
    fix: 'Start it, or leave out --url: then the running sdk dev is called, or the project is run for this one call.',
    example: 'sdk run summarize @input.json',
  },
  CALL_FAILED: {
    means: 'The server answered a call with an error.',
    why: 'The code in front of the message is that of the answer.',
    fix: 'sdk explain with that code. The request id finds the call in the server’s log.',
    example: 'sdk explain INVALID_REQUEST',
  },
  INTERRUPTED: {
    means: 'Ctrl-C ended the command. The exit code is 130.',
    why: 'sdk run hangs up, so that ctx.signal of the handler aborts and its finally runs.',
    fix: 'Nothing. A second Ctrl-C does not wait for the handler.',
    example: 'if (ctx.signal.aborted) return',
  },
  WORKBENCH_IN_BUILD: {
    means: 'The server imports @sdk/workbench, which is for development only.',
    why: 'Code in src/agent or src/api imports it; sdk dev adds it by itself.',
    fix: 'Remove the import.',
    example: 'grep -r "@sdk/workbench" src',
  },
}
