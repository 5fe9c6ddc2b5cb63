export { createProject, type CreatedProject, type ProjectOptions } from './create-project.ts'
export { readTarballs } from './tarballs.ts'
export { run, type RunContext } from './run.ts'
