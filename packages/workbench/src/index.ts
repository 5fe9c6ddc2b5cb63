export { type Manifest, type Problem, type WorkbenchApp } from './manifest.ts'
export { createWorkbench, type Workbench, type WorkbenchOptions } from './workbench.ts'
