def product() -> str:
    from tearsheet import __version__

    return f"Tearsheet/{__version__}"
