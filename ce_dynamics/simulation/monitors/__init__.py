"""Monitors that watch a run and change its charts."""
