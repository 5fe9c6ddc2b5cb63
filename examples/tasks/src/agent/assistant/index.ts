export { default } from './agent.ts'
